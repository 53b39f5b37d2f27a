#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A private matrix of small size.
// run 4 1 1 tolerance 1e-4
layout(local_size_x = 64) in;

void main()
{
    float grid[5][5];
    for (uint y = 0u; y < 5u; y++)
        for (uint x = 0u; x < 5u; x++)
            grid[y][x] = in_f(ID * 25u + y * 5u + x);
    uint px = in_u(ID) % 3u, py = in_u(ID + 5u) % 3u;
    float sum = 0.0;
    for (uint y = 0u; y < 3u; y++)
        for (uint x = 0u; x < 3u; x++)
            sum += grid[py + y][px + x];
    put(ID, sum / 9.0);
}
