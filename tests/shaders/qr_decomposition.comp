#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// QR of three vectors by Gram and Schmidt.
// run 1 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

void main()
{
    mat3 a = mat3(in_v3(ID * 3u), in_v3(ID * 3u + 1u), in_v3(ID * 3u + 2u)) + mat3(9.0), q;
    q[0] = normalize(a[0]);
    q[1] = normalize(a[1] - dot(a[1], q[0]) * q[0]);
    q[2] = a[2] - dot(a[2], q[0]) * q[0];
    q[2] = normalize(q[2] - dot(q[2], q[1]) * q[1]);
    mat3 r = transpose(q) * a;
    for (uint i = 0u; i < 3u; i++) {
        put(ID * 6u + i, q[i]);
        put(ID * 6u + 3u + i, r[i]);
    }
}
