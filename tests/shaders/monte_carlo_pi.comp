#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Points in a quarter circle.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint seed = in_u(ID), hits = 0u;
    for (uint i = 0u; i < 32u; i++) {
        seed = seed * 1664525u + 1013904223u;
        float x = float(seed >> 16) / 65536.0;
        seed = seed * 1664525u + 1013904223u;
        float y = float(seed >> 16) / 65536.0;
        if (x * x + y * y < 1.0)
            hits++;
    }
    put(ID, hits);
}
