#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Products of 256-bit numbers.
// run 1 1 1
layout(local_size_x = 64) in;

void main()
{
    uint a[8], b[8], product[16];
    for (uint i = 0u; i < 8u; i++) {
        a[i] = in_u(ID * 16u + i);
        b[i] = in_u(ID * 16u + 8u + i);
        product[i] = 0u;
        product[i + 8u] = 0u;
    }
    for (uint i = 0u; i < 8u; i++) {
        uint carry = 0u;
        for (uint j = 0u; j < 8u; j++) {
            uint high, low, c1, c2;
            umulExtended(a[i], b[j], high, low);
            low = uaddCarry(low, carry, c1);
            product[i + j] = uaddCarry(product[i + j], low, c2);
            carry = high + c1 + c2;
        }
        product[i + 8u] = carry;
    }
    for (uint i = 0u; i < 16u; i++)
        put(ID * 16u + i, product[i]);
}
