#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Bits of x and y interleaved and taken apart again.
// run 4 1 1
layout(local_size_x = 64) in;

uint spread(uint x)
{
    x = (x | x << 8) & 0x00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0fu;
    x = (x | x << 2) & 0x33333333u;
    return (x | x << 1) & 0x55555555u;
}

uint gather(uint x)
{
    x &= 0x55555555u;
    x = (x | x >> 1) & 0x33333333u;
    x = (x | x >> 2) & 0x0f0f0f0fu;
    x = (x | x >> 4) & 0x00ff00ffu;
    return (x | x >> 8) & 0x0000ffffu;
}

void main()
{
    uint x = in_u(ID) & 0xffffu, y = in_u(ID) >> 16, code = spread(x) | spread(y) << 1;
    put(ID * 3u + 0u, code);
    put(ID * 3u + 1u, gather(code));
    put(ID * 3u + 2u, gather(code >> 1));
}
