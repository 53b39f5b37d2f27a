#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A ticket for each lane: all numbers are given once.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint ticket = atomicAdd(second.words[0], 1u);
    put(ticket, 1u);
    atomicAdd(result.words[300], ticket * ticket);
}
