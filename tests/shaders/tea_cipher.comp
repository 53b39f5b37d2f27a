#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// TEA, 32 rounds.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint a = in_u(ID * 2u), b = in_u(ID * 2u + 1u), sum = 0u;
    for (uint i = 0u; i < 32u; i++) {
        sum += 0x9e3779b9u;
        a += (b << 4) + block.words[0].x ^ b + sum ^ (b >> 5) + block.words[0].y;
        b += (a << 4) + block.words[0].z ^ a + sum ^ (a >> 5) + block.words[0].w;
    }
    put(ID * 2u, a);
    put(ID * 2u + 1u, b);
}
