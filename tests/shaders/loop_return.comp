#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Leaving from inside two loops.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint seed = in_u(ID);
    put(ID, 0xffffu);
    for (uint i = 0u; i < 8u; i++) {
        for (uint j = 0u; j < 8u; j++) {
            if (in_u(seed + i * 8u + j) % 23u == 0u) {
                put(ID, i * 8u + j);
                return;
            }
        }
        if (i == 6u && (seed & 1u) != 0u)
            return;
    }
    put(ID, 0xeeeeu);
}
