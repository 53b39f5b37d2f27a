#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// The cosine transform of eight samples.
// run 4 1 1 tolerance 1e-4
layout(local_size_x = 64) in;

void main()
{
    float x[8], y;
    for (uint i = 0u; i < 8u; i++)
        x[i] = in_f(ID * 8u + i);
    float s0 = x[0] + x[7], s1 = x[1] + x[6], s2 = x[2] + x[5], s3 = x[3] + x[4];
    float d0 = x[0] - x[7], d1 = x[1] - x[6], d2 = x[2] - x[5], d3 = x[3] - x[4];
    put(ID * 8u + 0u, (s0 + s1 + s2 + s3) * 0.35355339);
    put(ID * 8u + 4u, (s0 - s1 - s2 + s3) * 0.35355339);
    put(ID * 8u + 2u, (s0 - s3) * 0.46193977 + (s1 - s2) * 0.19134172);
    put(ID * 8u + 6u, (s0 - s3) * 0.19134172 - (s1 - s2) * 0.46193977);
    put(ID * 8u + 1u, d0 * 0.49039264 + d1 * 0.41573481 + d2 * 0.27778512 + d3 * 0.09754516);
    put(ID * 8u + 3u, d0 * 0.41573481 - d1 * 0.09754516 - d2 * 0.49039264 - d3 * 0.27778512);
    put(ID * 8u + 5u, d0 * 0.27778512 - d1 * 0.49039264 + d2 * 0.09754516 + d3 * 0.41573481);
    put(ID * 8u + 7u, d0 * 0.09754516 - d1 * 0.27778512 + d2 * 0.41573481 - d3 * 0.49039264);
}
