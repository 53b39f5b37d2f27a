#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A transform of 64 points, radix 2, in shared memory.
// run 4 1 1 tolerance 1e-3
layout(local_size_x = 32) in;

shared vec2 points[64];

void main()
{
    uint base = gl_WorkGroupID.x * 64u;
    for (uint i = LANE; i < 64u; i += 32u)
        points[bitfieldReverse(i) >> 26] = in_v2(base + i);
    for (uint size = 1u; size < 64u; size *= 2u) {
        barrier();
        uint k = LANE & (size - 1u), i = (LANE - k) * 2u + k;
        float angle = -3.14159265 * float(k) / float(size);
        vec2 w = vec2(cos(angle), sin(angle)), a = points[i], b = points[i + size];
        vec2 t = vec2(b.x * w.x - b.y * w.y, b.x * w.y + b.y * w.x);
        points[i] = a + t;
        points[i + size] = a - t;
    }
    barrier();
    for (uint i = LANE; i < 64u; i += 32u)
        put(base + i, points[i]);
}
