#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Ackermann's function with a stack of its own.
// run 1 1 1
layout(local_size_x = 64) in;

void main()
{
    uint stack[32];
    uint m = ID % 3u, n = ID % 5u, top = 0u, steps = 0u;
    stack[top++] = m;
    while (top > 0u && steps < 400u) {
        steps++;
        m = stack[--top];
        if (m == 0u) {
            n++;
        } else if (n == 0u) {
            stack[top++] = m - 1u;
            n = 1u;
        } else {
            stack[top++] = m - 1u;
            stack[top++] = m;
            n--;
        }
    }
    put(ID, n);
}
