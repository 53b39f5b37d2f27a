#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Euclid.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint a = in_u(ID) >> 8, b = in_u(ID + 1u) >> 10;
    while (b != 0u) {
        uint t = a % b;
        a = b;
        b = t;
    }
    put(ID, a);
}
