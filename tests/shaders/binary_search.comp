#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Bounds in a sorted table that the shader makes.
// run 2 1 1
layout(local_size_x = 64) in;

shared uint table[64];

void main()
{
    table[LANE] = LANE * LANE + (LANE & 1u);
    barrier();
    uint want = in_u(ID) & 4095u, low = 0u, high = 64u;
    while (low < high) {
        uint middle = (low + high) / 2u;
        if (table[middle] < want)
            low = middle + 1u;
        else
            high = middle;
    }
    put(ID, low);
}
