#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// One round of AES, the substitution by inverses in GF(2^8).
// run 1 1 1
layout(local_size_x = 64) in;

uint times2(uint x)
{
    return (x << 1 ^ ((x & 0x80u) != 0u ? 0x1bu : 0u)) & 0xffu;
}

uint multiply(uint a, uint b)
{
    uint product = 0u;
    for (uint i = 0u; i < 8u; i++) {
        product ^= (b >> i & 1u) != 0u ? a : 0u;
        a = times2(a);
    }
    return product;
}

uint substitute(uint x)
{
    uint inverse = 1u, power = x;
    for (uint i = 0u; i < 7u; i++) {
        power = multiply(power, power);
        inverse = multiply(inverse, power);
    }
    uint y = inverse;
    y ^= (inverse << 1 | inverse >> 7) & 0xffu;
    y ^= (inverse << 2 | inverse >> 6) & 0xffu;
    y ^= (inverse << 3 | inverse >> 5) & 0xffu;
    y ^= (inverse << 4 | inverse >> 4) & 0xffu;
    return y ^ 0x63u;
}

void main()
{
    uint column[4];
    for (uint i = 0u; i < 4u; i++)
        column[i] = substitute(in_u(ID * 4u + i) >> i * 8u & 0xffu);
    uint word = 0u;
    for (uint i = 0u; i < 4u; i++) {
        uint a = column[i], b = column[(i + 1u) & 3u];
        word |= (times2(a) ^ times2(b) ^ b ^ column[(i + 2u) & 3u] ^ column[(i + 3u) & 3u]) << i * 8u;
    }
    put(ID, word ^ in_u(ID));
}
