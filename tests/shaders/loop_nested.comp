#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Loops in loops with continue and break.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint sum = 0u, seed = in_u(ID);
    for (uint i = 0u; i < 7u; i++) {
        if ((seed >> i & 1u) == 0u)
            continue;
        for (uint j = 0u; j < 9u; j++) {
            if (((seed >> j) & 3u) == 3u)
                break;
            sum += i * 10u + j;
            if (sum > 500u)
                continue;
            sum ^= j << 3;
        }
        if (sum > 3000u)
            break;
    }
    put(ID, sum);
}
