#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A transform of 16 points by its definition.
// run 1 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

void main()
{
    vec2 sum = vec2(0.0);
    uint k = ID & 15u, base = ID / 16u * 16u;
    for (uint n = 0u; n < 16u; n++) {
        float angle = -6.2831853 / 16.0 * float(k * n & 15u);
        sum += in_f(base + n) * vec2(cos(angle), sin(angle));
    }
    put(ID, sum);
}
