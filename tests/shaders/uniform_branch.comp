#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Conditions that are the same for all lanes.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint y = 0u;
    if (block.words[0].x == 1u)
        y += 100u;
    else
        y += 200u;
    for (uint i = 0u; i < push.words[1]; i++) {
        if ((i & block.words[0].y) != 0u)
            y += block.words[i & 3u].z;
        else
            y ^= gl_WorkGroupID.x << i;
    }
    put(ID, y + ID);
}
