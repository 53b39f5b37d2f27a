#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Cases that fall into the next, several labels, default in the middle.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint x = in_u(ID) % 11u, y = 1u;
    switch (x) {
    case 0u:
    case 1u:
        y += 10u;
    case 2u:
        y *= 3u;
        break;
    default:
        y = 1000u;
    case 7u:
        y += 5u;
    case 9u:
        y <<= 1;
        break;
    case 10u:
        break;
    }
    put(ID, y);
}
