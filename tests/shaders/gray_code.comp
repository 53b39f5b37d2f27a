#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// To Gray code and back.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint gray = in_u(ID) ^ in_u(ID) >> 1, value = gray;
    for (uint shift = 1u; shift < 32u; shift <<= 1)
        value ^= value >> shift;
    put(ID * 2u, gray);
    put(ID * 2u + 1u, value);
}
