#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Every lane leaves its loop after its own count.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint n = in_u(ID) % 50u, a = 0u, b = 1u;
    while (n-- > 0u) {
        uint c = a + b;
        a = b;
        b = c;
    }
    put(ID, a);
}
