#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A private array with indices that only the lanes know.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint table[16];
    for (uint i = 0u; i < 16u; i++)
        table[i] = in_u(ID + i * 3u);
    uint x = ID;
    for (uint i = 0u; i < 20u; i++) {
        uint at = (x ^ i) & 15u;
        x = x * 5u + table[at];
        table[(at + 7u) & 15u] ^= x;
    }
    put(ID, x ^ table[x & 15u]);
}
