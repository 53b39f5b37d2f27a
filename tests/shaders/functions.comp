#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Functions with several ways to return, out and inout parameters.
// run 4 1 1
layout(local_size_x = 64) in;

uint classify(uint x, out uint rest)
{
    rest = x & 0xffu;
    if (x > 0xc0000000u)
        return 3u;
    rest += 1u;
    if (x > 0x80000000u)
        return 2u;
    for (uint i = 0u; i < 4u; i++) {
        if ((x >> (i * 8u) & 0xffu) < 16u)
            return 10u + i;
        rest += i;
    }
    return 0u;
}

void scramble(inout uint a, inout uint b)
{
    uint t = a;
    a = b * 3u;
    b = t ^ a;
}

void main()
{
    uint rest, kind = classify(in_u(ID), rest);
    scramble(kind, rest);
    scramble(rest, kind);
    put(ID * 2u, kind);
    put(ID * 2u + 1u, rest);
}
