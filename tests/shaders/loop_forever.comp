#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A loop without a condition that several breaks leave.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint x = in_u(ID), n = 0u;
    for (;;) {
        x = x * 1664525u + 1013904223u;
        if (x < 0x10000000u)
            break;
        n++;
        if (n == 40u) {
            n = 1000u;
            break;
        }
        if ((x & 0xff0u) == 0x550u) {
            n += 500u;
            break;
        }
    }
    put(ID, n);
}
