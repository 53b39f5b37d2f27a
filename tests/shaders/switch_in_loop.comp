#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A switch in a loop: break leaves the one, continue the other.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint state = in_u(ID) & 3u, tape = in_u(ID + 77u), steps = 0u;
    while (steps < 32u) {
        uint bit = tape >> (steps & 31u) & 1u;
        steps++;
        switch (state) {
        case 0u:
            state = bit == 1u ? 1u : 2u;
            continue;
        case 1u:
            if (bit == 0u)
                break;
            state = 3u;
            continue;
        case 2u:
            state = 1u;
            break;
        default:
            state = bit;
            tape ^= 0x5a5a5a5au;
            break;
        }
        tape = tape * 3u + state;
    }
    put(ID, tape ^ state);
}
