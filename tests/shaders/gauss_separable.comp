#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Gauss' filter over rows, then columns, through shared memory.
// run 1 1 1 tolerance 1e-4
layout(local_size_x = 16, local_size_y = 16) in;

shared float rows[16][16];

const float weights[5] = float[](0.0625, 0.25, 0.375, 0.25, 0.0625);

void main()
{
    ivec2 at = ivec2(gl_LocalInvocationID.xy);
    float sum = 0.0;
    for (int i = -2; i <= 2; i++)
        sum += weights[i + 2] * in_f(uint(at.y * 16 + clamp(at.x + i, 0, 15)));
    rows[at.y][at.x] = sum;
    barrier();
    sum = 0.0;
    for (int i = -2; i <= 2; i++)
        sum += weights[i + 2] * rows[clamp(at.y + i, 0, 15)][at.x];
    put(uint(at.y * 16 + at.x), sum);
}
