#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// xorshift128.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint x = in_u(ID) | 1u, y = in_u(ID + 1u), z = in_u(ID + 2u), w = in_u(ID + 3u);
    for (uint i = 0u; i < 10u; i++) {
        uint t = x ^ x << 11;
        x = y;
        y = z;
        z = w;
        w = w ^ w >> 19 ^ t ^ t >> 8;
        put(ID * 10u + i, w);
    }
}
