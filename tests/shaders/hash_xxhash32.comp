#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// xxHash32 over 32 bytes.
// run 4 1 1
layout(local_size_x = 64) in;

const uint P1 = 2654435761u, P2 = 2246822519u, P3 = 3266489917u;

uint rotl(uint x, uint n)
{
    return x << n | x >> (32u - n);
}

uint round_of(uint a, uint word)
{
    return rotl(a + word * P2, 13u) * P1;
}

void main()
{
    uvec4 v = uvec4(P1 + P2, P2, 0u, 0u - P1);
    for (uint i = 0u; i < 2u; i++) {
        uint at = ID * 8u + i * 4u;
        v = uvec4(round_of(v.x, in_u(at)), round_of(v.y, in_u(at + 1u)), round_of(v.z, in_u(at + 2u)), round_of(v.w, in_u(at + 3u)));
    }
    uint hash = rotl(v.x, 1u) + rotl(v.y, 7u) + rotl(v.z, 12u) + rotl(v.w, 18u) + 32u;
    hash = (hash ^ hash >> 15) * P2;
    hash = (hash ^ hash >> 13) * P3;
    put(ID, hash ^ hash >> 16);
}
