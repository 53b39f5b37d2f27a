#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A matrix product through tiles in shared memory.
// run 4 4 1 tolerance 1e-4
layout(local_size_x = 8, local_size_y = 8) in;

shared float left[8][8], right[8][8];

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy, here = gl_LocalInvocationID.xy;
    float sum = 0.0;
    for (uint tile = 0u; tile < 32u; tile += 8u) {
        left[here.y][here.x] = in_f(at.y * 32u + tile + here.x);
        right[here.y][here.x] = in_f(1024u + (tile + here.y) * 32u + at.x);
        barrier();
        for (uint k = 0u; k < 8u; k++)
            sum += left[here.y][k] * right[k][here.x];
        barrier();
    }
    put(at.y * 32u + at.x, sum);
}
