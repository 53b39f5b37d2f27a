#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Hyperbolic functions and their inverses.
// run 4 1 1 tolerance 2e-3
layout(local_size_x = 64) in;

void main()
{
    float x = in_f(ID);
    put(ID * 6u + 0u, sinh(x));
    put(ID * 6u + 1u, cosh(x));
    put(ID * 6u + 2u, tanh(x));
    put(ID * 6u + 3u, asinh(x));
    put(ID * 6u + 4u, acosh(abs(x) + 1.5));
    put(ID * 6u + 5u, atanh(x * 0.2));
}
