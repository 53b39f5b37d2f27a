#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// All arithmetic of 32-bit integers, signed and unsigned.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    int a = in_i(ID), b = in_i(ID + 300u) >> 16;
    uint c = in_u(ID + 600u), d = (in_u(ID + 900u) >> 20) + 1u;
    b = b == 0 ? 1 : b;
    put(ID * 8u + 0u, a + b);
    put(ID * 8u + 1u, a - b);
    put(ID * 8u + 2u, a * b);
    put(ID * 8u + 3u, a / b);
    put(ID * 8u + 4u, c / d);
    put(ID * 8u + 5u, c % d);
    put(ID * 8u + 6u, -a ^ abs(b));
    put(ID * 8u + 7u, min(c, d) + max(c, d) + uint(sign(a)) + uint(clamp(a, -abs(b), abs(b)) & 255));
}
