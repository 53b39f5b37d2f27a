#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A matrix product with 4x4 elements in the registers of a lane.
// run 1 1 1 tolerance 1e-4
layout(local_size_x = 8, local_size_y = 8) in;

void main()
{
    uvec2 at = gl_LocalInvocationID.xy * 4u;
    vec4 sum[4] = vec4[](vec4(0.0), vec4(0.0), vec4(0.0), vec4(0.0));
    for (uint k = 0u; k < 32u; k++) {
        vec4 row = in_v4((1024u + k * 32u + at.x) / 4u);
        for (uint i = 0u; i < 4u; i++)
            sum[i] += in_f((at.y + i) * 32u + k) * row;
    }
    for (uint i = 0u; i < 4u; i++)
        put(((at.y + i) * 32u + at.x) / 4u, sum[i]);
}
