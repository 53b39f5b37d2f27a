#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// The population count by masks, as old machines did it.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint x = in_u(ID);
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    put(ID, x * 0x01010101u >> 24);
}
