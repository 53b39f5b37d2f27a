#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Where a pattern of bytes occurs in a text.
// run 4 1 1
layout(local_size_x = 64) in;

uint letter(uint i)
{
    return in_u(i / 4u) >> (i % 4u) * 8u & 3u;
}

void main()
{
    uint found = 0xffffffffu, count = 0u;
    for (uint start = ID * 16u; start < ID * 16u + 16u; start++) {
        uint i = 0u;
        while (i < 5u && letter(start + i) == (0x6du >> i * 2u & 3u))
            i++;
        if (i == 5u) {
            count++;
            found = min(found, start);
        }
    }
    put(ID * 2u, found);
    put(ID * 2u + 1u, count);
}
