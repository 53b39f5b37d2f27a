#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Quotients by constants, which compilers turn into multiplications.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    int a = in_i(ID);
    uint b = in_u(ID + 50u);
    put(ID * 8u + 0u, a / 7);
    put(ID * 8u + 1u, b / 10u);
    put(ID * 8u + 2u, b % 1000u);
    put(ID * 8u + 3u, a / 16);
    put(ID * 8u + 4u, b % 64u);
    put(ID * 8u + 5u, a / -3);
    put(ID * 8u + 6u, b / 641u);
    put(ID * 8u + 7u, b / 0x80000001u);
}
