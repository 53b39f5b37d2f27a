#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Tempering and twisting of a short Mersenne twister.
// run 1 1 1
layout(local_size_x = 64) in;

void main()
{
    uint mt[20];
    mt[0] = in_u(ID);
    for (uint i = 1u; i < 20u; i++)
        mt[i] = 1812433253u * (mt[i - 1u] ^ mt[i - 1u] >> 30) + i;
    for (uint i = 0u; i < 20u; i++) {
        uint y = (mt[i] & 0x80000000u) | (mt[(i + 1u) % 20u] & 0x7fffffffu);
        mt[i] = mt[(i + 13u) % 20u] ^ y >> 1 ^ ((y & 1u) != 0u ? 0x9908b0dfu : 0u);
    }
    uint sum = 0u;
    for (uint i = 0u; i < 20u; i++) {
        uint y = mt[i];
        y ^= y >> 11;
        y ^= y << 7 & 0x9d2c5680u;
        y ^= y << 15 & 0xefc60000u;
        sum ^= y ^ y >> 18;
    }
    put(ID, sum);
}
