#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Barriers in a uniform loop with a uniform exit.
// run 2 1 1
layout(local_size_x = 64) in;

shared uint token[64];

void main()
{
    token[LANE] = in_u(ID);
    uint limit = push.words[2];
    for (uint i = 0u; i < 16u; i++) {
        barrier();
        uint neighbour = token[(LANE + 1u) & 63u];
        barrier();
        token[LANE] = token[LANE] * 3u + neighbour;
        if (i == limit)
            break;
    }
    put(ID, token[LANE]);
}
