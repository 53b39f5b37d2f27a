#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Levenshtein's distance of two short words.
// run 1 1 1
layout(local_size_x = 64) in;

void main()
{
    uint row[9];
    for (uint j = 0u; j < 9u; j++)
        row[j] = j;
    for (uint i = 1u; i < 9u; i++) {
        uint diagonal = row[0], a = in_u(ID) >> i * 2u & 3u;
        row[0] = i;
        for (uint j = 1u; j < 9u; j++) {
            uint above = row[j], b = in_u(ID + 64u) >> j * 2u & 3u;
            row[j] = min(min(above, row[j - 1u]) + 1u, diagonal + (a == b ? 0u : 1u));
            diagonal = above;
        }
    }
    put(ID, row[8]);
}
