#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A loop that tests at its end.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint x = (in_u(ID) & 0xffffu) + 1u, steps = 0u;
    do {
        x = (x & 1u) == 0u ? x >> 1 : 3u * x + 1u;
        steps++;
    } while (x != 1u && steps < 200u);
    put(ID, steps << 16 | (x & 0xffffu));
}
