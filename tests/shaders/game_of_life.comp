#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Eight turns of Conway's game in shared memory.
// run 1 1 1
layout(local_size_x = 16, local_size_y = 16) in;

shared uint cells[2][16][16];

void main()
{
    uvec2 p = gl_LocalInvocationID.xy;
    cells[0][p.y][p.x] = in_u(p.y * 16u + p.x) >> 7 & 1u;
    for (uint turn = 0u; turn < 8u; turn++) {
        barrier();
        uint now = turn & 1u, count = 0u;
        for (uint i = 0u; i < 9u; i++) {
            if (i != 4u)
                count += cells[now][(p.y + i / 3u + 15u) & 15u][(p.x + i % 3u + 15u) & 15u];
        }
        uint alive = cells[now][p.y][p.x];
        cells[1u - now][p.y][p.x] = count == 3u || (count == 2u && alive == 1u) ? 1u : 0u;
    }
    barrier();
    put(p.y * 16u + p.x, cells[0][p.y][p.x]);
}
