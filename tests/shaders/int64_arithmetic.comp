#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_ARB_gpu_shader_int64 : require
#include "common.glsl"

// 64-bit integers: sum, difference, product, quotient, shifts.
// run 2 1 1
layout(local_size_x = 64) in;

void put64(uint i, uint64_t x)
{
    put(2u * i, unpackUint2x32(x).x);
    put(2u * i + 1u, unpackUint2x32(x).y);
}

void main()
{
    uint64_t a = packUint2x32(uvec2(in_u(ID * 2u), in_u(ID * 2u + 1u))), b = packUint2x32(uvec2(in_u(ID + 500u), in_u(ID + 501u) >> 12)) + 1ul;
    int64_t c = int64_t(a), d = int64_t(b);
    put64(ID * 8u + 0u, a + b);
    put64(ID * 8u + 1u, a - b);
    put64(ID * 8u + 2u, a * b);
    put64(ID * 8u + 3u, a / b);
    put64(ID * 8u + 4u, a % b);
    put64(ID * 8u + 5u, uint64_t(c / d));
    put64(ID * 8u + 6u, a << (ID & 63u) ^ a >> (ID % 61u));
    put64(ID * 8u + 7u, uint64_t(c >> (ID & 63u)) + (c < d ? 1ul : 0ul) + uint64_t(min(c, d)));
}
