#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Nested conditions.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint x = in_u(ID), y;
    if ((x & 1u) != 0u) {
        if ((x & 2u) != 0u)
            y = x * 3u;
        else
            y = x + 7u;
    } else if ((x & 4u) != 0u) {
        y = x ^ 0x1234u;
    } else {
        y = ~x;
        if (y > 0x80000000u)
            y >>= 1;
    }
    put(ID, y);
}
