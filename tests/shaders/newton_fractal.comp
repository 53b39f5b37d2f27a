#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Roots of z^3 = 1 by Newton's method.
// run 4 1 1 tolerance 5e-2
layout(local_size_x = 64) in;

void main()
{
    vec2 z = vec2(1.5, 0.25) + in_v2(ID) * 0.1;
    for (uint i = 0u; i < 8u; i++) {
        vec2 square = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y), d = 3.0 * square;
        vec2 f = vec2(square.x * z.x - square.y * z.y - 1.0, square.x * z.y + square.y * z.x);
        z -= vec2(f.x * d.x + f.y * d.y, f.y * d.x - f.x * d.y) / dot(d, d);
    }
    put(ID, z);
}
