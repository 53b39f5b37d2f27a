#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Rotations that a compiler may see as one instruction.
// run 4 1 1
layout(local_size_x = 64) in;

uint rotl(uint x, uint n)
{
    return x << n | x >> (32u - n);
}

void main()
{
    uint x = in_u(ID);
    put(ID * 4u + 0u, rotl(x, 7u));
    put(ID * 4u + 1u, rotl(x, 16u));
    put(ID * 4u + 2u, rotl(x, (ID & 15u) + 1u));
    put(ID * 4u + 3u, rotl(x, 13u) ^ rotl(x, 22u) ^ rotl(x, 2u));
}
