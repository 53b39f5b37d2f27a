#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Counts of bytes, first in shared memory, then for all.
// run 4 1 1
layout(local_size_x = 128) in;

shared uint counts[256];

void main()
{
    counts[LANE] = 0u;
    counts[LANE + 128u] = 0u;
    barrier();
    for (uint i = 0u; i < 4u; i++) {
        uint word = in_u(ID * 4u + i);
        atomicAdd(counts[word & 255u], 1u);
        atomicAdd(counts[word >> 8 & 255u], 1u);
    }
    barrier();
    atomicAdd(second.words[LANE], counts[LANE]);
    atomicAdd(second.words[LANE + 128u], counts[LANE + 128u]);
}
