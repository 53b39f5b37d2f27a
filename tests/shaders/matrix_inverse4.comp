#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Inverse of 4x4.
// run 1 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

void main()
{
    mat4 m = mat4(in_v4(ID * 4u), in_v4(ID * 4u + 1u), in_v4(ID * 4u + 2u), in_v4(ID * 4u + 3u)) * 0.25 + mat4(5.0);
    mat4 n = inverse(m);
    for (uint i = 0u; i < 4u; i++)
        put(ID * 4u + i, n[i]);
}
