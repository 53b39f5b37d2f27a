#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A matrix product, each lane an element.
// run 4 4 1 tolerance 1e-4
layout(local_size_x = 8, local_size_y = 8) in;

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    float sum = 0.0;
    for (uint k = 0u; k < 32u; k++)
        sum += in_f(at.y * 32u + k) * in_f(1024u + k * 32u + at.x);
    put(at.y * 32u + at.x, sum);
}
