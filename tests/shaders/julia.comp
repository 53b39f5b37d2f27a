#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A Julia set with smooth colour.
// run 4 1 1 tolerance 2e-2
layout(local_size_x = 64) in;

void main()
{
    vec2 z = in_v2(ID) * 0.3;
    float trap = 100.0;
    for (uint i = 0u; i < 6u; i++) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + vec2(-0.4, 0.6);
        trap = min(trap, dot(z, z));
        z = clamp(z, -2.0, 2.0);
    }
    put(ID, sqrt(trap));
}
