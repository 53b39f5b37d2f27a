#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Products of 4x4 matrices.
// run 1 1 1 tolerance 1e-4
layout(local_size_x = 64) in;

mat4 load(uint i)
{
    return mat4(in_v4(i), in_v4(i + 1u), in_v4(i + 2u), in_v4(i + 3u));
}

void main()
{
    mat4 c = load(ID * 4u) * load(ID * 4u + 400u);
    for (uint i = 0u; i < 4u; i++)
        put(ID * 4u + i, c[i]);
}
