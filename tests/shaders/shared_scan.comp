#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Prefix sums of a workgroup (Hillis and Steele).
// run 4 1 1
layout(local_size_x = 128) in;

shared uint sums[2][128];

void main()
{
    uint from = 0u;
    sums[0][LANE] = in_u(ID) & 0xffu;
    barrier();
    for (uint step = 1u; step < 128u; step <<= 1) {
        uint to = 1u - from;
        sums[to][LANE] = sums[from][LANE] + (LANE >= step ? sums[from][LANE - step] : 0u);
        from = to;
        barrier();
    }
    put(ID, sums[from][LANE]);
}
