#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A block of BC4: eight levels and indices of three bits that cross words.
// run 1 1 1
layout(local_size_x = 64) in;

void main()
{
    uint low = in_u(ID * 2u), high = in_u(ID * 2u + 1u), r0 = low & 255u, r1 = low >> 8 & 255u;
    for (uint i = 0u; i < 16u; i++) {
        uint at = 16u + 3u * i, index = at >= 32u ? high >> (at - 32u) : at > 29u ? low >> at | high << (32u - at) : low >> at, level;
        index &= 7u;
        if (index < 2u)
            level = index == 0u ? r0 : r1;
        else if (r0 > r1)
            level = ((8u - index) * r0 + (index - 1u) * r1) / 7u;
        else
            level = index < 6u ? ((6u - index) * r0 + (index - 1u) * r1) / 5u : index == 6u ? 0u : 255u;
        put(ID * 16u + i, level);
    }
}
