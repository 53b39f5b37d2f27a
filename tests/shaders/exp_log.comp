#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Exponentials, logarithms, powers, roots.
// run 4 1 1 tolerance 1e-4
layout(local_size_x = 64) in;

void main()
{
    float x = in_f(ID), y = abs(in_f(ID + 100u)) + 0.125;
    put(ID * 8u + 0u, exp2(x));
    put(ID * 8u + 1u, log2(y));
    put(ID * 8u + 2u, exp(x));
    put(ID * 8u + 3u, log(y));
    put(ID * 8u + 4u, pow(y, x * 0.5));
    put(ID * 8u + 5u, sqrt(y));
    put(ID * 8u + 6u, inversesqrt(y));
    put(ID * 8u + 7u, 1.0 / y);
}
