#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_ARB_gpu_shader_int64 : require
#include "common.glsl"

// SipHash-2-4 of two words of 64 bits.
// run 2 1 1
layout(local_size_x = 64) in;

uint64_t v0, v1, v2, v3;

uint64_t rotl(uint64_t x, int n)
{
    return x << n | x >> (64 - n);
}

void turn()
{
    v0 += v1; v1 = rotl(v1, 13); v1 ^= v0; v0 = rotl(v0, 32);
    v2 += v3; v3 = rotl(v3, 16); v3 ^= v2;
    v0 += v3; v3 = rotl(v3, 21); v3 ^= v0;
    v2 += v1; v1 = rotl(v1, 17); v1 ^= v2; v2 = rotl(v2, 32);
}

void main()
{
    uint64_t k0 = packUint2x32(uvec2(in_u(ID), in_u(ID + 1u))), k1 = packUint2x32(uvec2(in_u(ID + 2u), in_u(ID + 3u)));
    v0 = k0 ^ 0x736f6d6570736575ul;
    v1 = k1 ^ 0x646f72616e646f6dul;
    v2 = k0 ^ 0x6c7967656e657261ul;
    v3 = k1 ^ 0x7465646279746573ul;
    for (uint i = 0u; i < 2u; i++) {
        uint64_t m = packUint2x32(uvec2(in_u(ID * 4u + i), in_u(ID * 4u + i + 9u)));
        v3 ^= m;
        turn();
        turn();
        v0 ^= m;
    }
    v2 ^= 0xfful;
    for (uint i = 0u; i < 4u; i++)
        turn();
    uvec2 hash = unpackUint2x32(v0 ^ v1 ^ v2 ^ v3);
    put(ID * 2u, hash.x);
    put(ID * 2u + 1u, hash.y);
}
