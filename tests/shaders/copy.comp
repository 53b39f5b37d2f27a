#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A word from here to there.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    put(ID, in_u(ID));
}
