#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Lanes that have something append it; the count is kept.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint x = in_u(ID);
    if (x % 3u == 0u) {
        uint at = atomicAdd(second.words[0], 1u);
        atomicXor(result.words[at & 31u], 0u);
        atomicAdd(second.words[1], x);
    }
}
