#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// FNV-1a byte by byte.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint hash = 2166136261u;
    for (uint i = 0u; i < 16u; i++) {
        uint word = in_u(ID * 4u + i / 4u);
        hash = (hash ^ (word >> (i % 4u) * 8u & 255u)) * 16777619u;
    }
    put(ID, hash);
}
