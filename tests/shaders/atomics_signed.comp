#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Signed minimum and maximum in shared memory.
// run 4 1 1
layout(local_size_x = 64) in;

shared int low, high;

void main()
{
    if (LANE == 0u) {
        low = 0x7fffffff;
        high = -0x7fffffff;
    }
    barrier();
    atomicMin(low, in_i(ID));
    atomicMax(high, in_i(ID));
    barrier();
    put(ID, LANE < 32u ? low : high);
}
