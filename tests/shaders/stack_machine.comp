#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A small interpreter with a private stack.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint stack[8];
    uint top = 0u;
    for (uint i = 0u; i < 8u; i++)
        stack[i] = 0u;
    for (uint pc = 0u; pc < 24u; pc++) {
        uint word = in_u(ID * 24u + pc), op = top < 2u ? 0u : word >> 28;
        if (op < 6u && top < 8u) {
            stack[top++] = word & 0xffffu;
            continue;
        }
        if (top < 2u)
            continue;
        uint b = stack[--top], a = stack[--top];
        switch (op) {
        case 6u: case 7u: a += b; break;
        case 8u: case 9u: a -= b; break;
        case 10u: a *= b; break;
        case 11u: a ^= b; break;
        case 12u: a = a << (b & 15u); break;
        case 13u: a = max(a, b); break;
        default: a = b; break;
        }
        stack[top++] = a;
    }
    put(ID, top == 0u ? 0xffffffffu : stack[top - 1u]);
}
