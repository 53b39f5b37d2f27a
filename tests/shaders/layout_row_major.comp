#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Row-major matrices in a storage buffer, by column and by element.
// run 1 1 1 tolerance 1e-5
layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) readonly buffer Matrices {
    uint skip[8192];
    layout(row_major) mat4x3 data[512];
} matrices;

void main()
{
    uint at = ID;
    put(ID * 2u, matrices.data[at] * in_v4(ID));
    put(ID * 2u + 1u, matrices.data[at][ID & 3u] + vec3(matrices.data[at][1][ID % 3u]));
}
