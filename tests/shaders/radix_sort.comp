#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Four passes of a radix sort in a workgroup, eight bits of a key.
// run 2 1 1
layout(local_size_x = 64) in;

shared uint keys[64], sums[64];

void main()
{
    uint key = in_u(ID) & 0xffu;
    for (uint shift = 0u; shift < 8u; shift++) {
        uint bit = key >> shift & 1u;
        sums[LANE] = 1u - bit;
        barrier();
        uint before = 0u, zeros = 0u;
        for (uint i = 0u; i < 64u; i++) {
            uint one = sums[i];
            zeros += one;
            before += i < LANE ? one : 0u;
        }
        barrier();
        keys[bit == 0u ? before : zeros + LANE - before] = key;
        barrier();
        key = keys[LANE];
    }
    put(ID, key);
}
