#version 460
// run 1 1 1
// What hints.comp must leave.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 64) in;
void main()
{
    uint a = in_u(ID);
    put(ID, a == 7u ? 1u : a * 3u);
}
