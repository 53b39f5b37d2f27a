#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Eight words sorted by one lane.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint keys[8];
    for (uint i = 0u; i < 8u; i++)
        keys[i] = in_u(ID * 8u + i);
    for (int i = 1; i < 8; i++) {
        uint key = keys[i];
        int j = i - 1;
        while (j >= 0 && keys[j] > key) {
            keys[j + 1] = keys[j];
            j--;
        }
        keys[j + 1] = key;
    }
    for (uint i = 0u; i < 8u; i++)
        put(ID * 8u + i, keys[i]);
}
