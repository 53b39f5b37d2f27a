#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// One addition.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    put(ID, in_f(ID) + in_f(ID + 256u));
}
