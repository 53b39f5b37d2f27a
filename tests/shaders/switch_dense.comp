#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A switch over small numbers.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint x = in_u(ID), y = 0u;
    switch (x & 7u) {
    case 0u: y = x; break;
    case 1u: y = x + 1u; break;
    case 2u: y = x * 5u; break;
    case 3u: y = x ^ x >> 3; break;
    case 4u: y = ~x; break;
    case 5u: y = x << 4; break;
    default: y = 77u; break;
    }
    put(ID, y);
}
