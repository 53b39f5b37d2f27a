#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Horner's scheme with coefficients of the uniform block.
// run 4 1 1 tolerance 1e-5
layout(local_size_x = 64) in;

void main()
{
    float x = in_f(ID) * 0.25, y = 0.0;
    for (int i = 0; i < 8; i++)
        y = y * x + block.floats[i].y;
    put(ID, y);
}
