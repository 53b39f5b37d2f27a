#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A block of ChaCha20.
// run 1 1 1
layout(local_size_x = 64) in;

uint s[16];

uint rotl(uint x, uint n)
{
    return x << n | x >> (32u - n);
}

void quarter(uint a, uint b, uint c, uint d)
{
    s[a] += s[b]; s[d] = rotl(s[d] ^ s[a], 16u);
    s[c] += s[d]; s[b] = rotl(s[b] ^ s[c], 12u);
    s[a] += s[b]; s[d] = rotl(s[d] ^ s[a], 8u);
    s[c] += s[d]; s[b] = rotl(s[b] ^ s[c], 7u);
}

void main()
{
    s[0] = 0x61707865u; s[1] = 0x3320646eu; s[2] = 0x79622d32u; s[3] = 0x6b206574u;
    for (uint i = 4u; i < 16u; i++)
        s[i] = in_u(i);
    s[12] = ID;
    uint first[16] = s;
    for (uint i = 0u; i < 10u; i++) {
        quarter(0u, 4u, 8u, 12u); quarter(1u, 5u, 9u, 13u); quarter(2u, 6u, 10u, 14u); quarter(3u, 7u, 11u, 15u);
        quarter(0u, 5u, 10u, 15u); quarter(1u, 6u, 11u, 12u); quarter(2u, 7u, 8u, 13u); quarter(3u, 4u, 9u, 14u);
    }
    for (uint i = 0u; i < 16u; i++)
        put(ID * 16u + i, s[i] + first[i]);
}
