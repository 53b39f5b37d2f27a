#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Open addressing with atomics; who is in is asked afterwards.
// run 1 1 1
layout(local_size_x = 64) in;

shared uint slots[128];

void main()
{
    slots[LANE] = 0u;
    slots[LANE + 64u] = 0u;
    barrier();
    uint key = (in_u(ID) & 127u) + 1u, at = key * 0x9e3779b9u >> 25;
    for (uint i = 0u; i < 128u; i++) {
        uint old = atomicCompSwap(slots[at], 0u, key);
        if (old == 0u || old == key)
            break;
        at = (at + 1u) & 127u;
    }
    barrier();
    uint want = ID + 1u;
    bool found = false;
    at = want * 0x9e3779b9u >> 25;
    while (slots[at] != 0u) {
        if (slots[at] == want) {
            found = true;
            break;
        }
        at = (at + 1u) & 127u;
    }
    put(ID, found);
}
