#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Murmur3 over eight words.
// run 4 1 1
layout(local_size_x = 64) in;

uint rotl(uint x, uint n)
{
    return x << n | x >> (32u - n);
}

void main()
{
    uint hash = 0x9747b28cu;
    for (uint i = 0u; i < 8u; i++) {
        uint k = in_u(ID * 8u + i) * 0xcc9e2d51u;
        hash ^= rotl(k, 15u) * 0x1b873593u;
        hash = rotl(hash, 13u) * 5u + 0xe6546b64u;
    }
    hash ^= 32u;
    hash = (hash ^ hash >> 16) * 0x85ebca6bu;
    hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
    put(ID, hash ^ hash >> 16);
}
