#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// The longest chain in a range.
// run 2 1 1
layout(local_size_x = 64) in;

void main()
{
    uint best = 0u, who = 0u;
    for (uint n = ID * 4u + 1u; n < ID * 4u + 5u; n++) {
        uint x = n, steps = 0u;
        while (x != 1u) {
            x = (x & 1u) != 0u ? 3u * x + 1u : x / 2u;
            steps++;
        }
        if (steps > best) {
            best = steps;
            who = n;
        }
    }
    put(ID * 2u, best);
    put(ID * 2u + 1u, who);
}
