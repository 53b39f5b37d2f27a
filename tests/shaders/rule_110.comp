#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A cellular automaton on the bits of a word.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint line = in_u(ID);
    for (uint turn = 0u; turn < 16u; turn++) {
        uint left = line >> 1 | line << 31, right = line << 1 | line >> 31;
        line = (line | right) & ~(left & line & right);
    }
    put(ID, line);
}
