#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Solutions with the first queen given, by bits and a stack.
// run 1 1 1
layout(local_size_x = 8) in;

void main()
{
    uint columns[8], left[8], right[8], free[8];
    uint depth = 1u, solutions = 0u, first = 1u << LANE;
    columns[1] = first;
    left[1] = first << 1;
    right[1] = first >> 1;
    free[1] = 255u & ~(columns[1] | left[1] | right[1]);
    while (depth > 0u) {
        if (free[depth] == 0u) {
            depth--;
            continue;
        }
        uint bit = free[depth] & -free[depth];
        free[depth] ^= bit;
        if (depth == 7u) {
            solutions++;
            continue;
        }
        columns[depth + 1u] = columns[depth] | bit;
        left[depth + 1u] = (left[depth] | bit) << 1;
        right[depth + 1u] = (right[depth] | bit) >> 1;
        depth++;
        free[depth] = 255u & ~(columns[depth] | left[depth] | right[depth]);
    }
    put(ID, solutions);
}
