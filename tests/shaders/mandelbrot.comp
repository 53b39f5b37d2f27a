#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Escape times.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    vec2 c = in_v2(ID) * vec2(0.5, 0.375), z = vec2(0.0);
    uint n = 0u;
    // Powers of two and few bits: both implementations round the same way only while they compute the same.
    c = roundEven(c * 8.0) / 8.0;
    while (n < 6u && dot(z, z) < 4.0) {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        n++;
    }
    put(ID, n);
}
