#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// y = a x + y.
// run 4 1 1 tolerance 1e-6
layout(local_size_x = 64) in;

void main()
{
    put(ID, push.floats[2] * in_f(ID) + in_f(ID + 1000u));
}
