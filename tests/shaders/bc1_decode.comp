#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A block of BC1: two colours of 565 and sixteen indices.
// run 1 1 1
layout(local_size_x = 64) in;

uvec3 expand(uint c)
{
    uvec3 v = uvec3(c >> 11, c >> 5 & 63u, c & 31u);
    return uvec3(v.r << 3 | v.r >> 2, v.g << 2 | v.g >> 4, v.b << 3 | v.b >> 2);
}

void main()
{
    uint colours = in_u(ID * 2u), indices = in_u(ID * 2u + 1u), c0 = colours & 0xffffu, c1 = colours >> 16;
    uvec3 table[4];
    table[0] = expand(c0);
    table[1] = expand(c1);
    table[2] = c0 > c1 ? (2u * table[0] + table[1]) / 3u : (table[0] + table[1]) / 2u;
    table[3] = c0 > c1 ? (table[0] + 2u * table[1]) / 3u : uvec3(0u);
    for (uint i = 0u; i < 16u; i++) {
        uvec3 texel = table[indices >> 2u * i & 3u];
        put(ID * 16u + i, texel.r | texel.g << 8 | texel.b << 16);
    }
}
