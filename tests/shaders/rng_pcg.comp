#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// PCG-32 by words.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint state = in_u(ID), sum = 0u;
    for (uint i = 0u; i < 16u; i++) {
        uint old = state;
        state = old * 747796405u + 2891336453u;
        uint word = ((old >> ((old >> 28) + 4u)) ^ old) * 277803737u;
        sum += word >> 22 ^ word;
    }
    put(ID, sum);
}
