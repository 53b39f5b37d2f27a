#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Eigenvalues of symmetric 2x2 matrices.
// run 4 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

void main()
{
    float a = in_f(ID), b = in_f(ID + 1u), d = in_f(ID + 2u), mean = 0.5 * (a + d), half_way = 0.5 * (a - d);
    float root = sqrt(half_way * half_way + b * b);
    put(ID, vec2(mean + root, mean - root));
}
