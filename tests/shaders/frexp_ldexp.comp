#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Mantissas and exponents.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    int exponent;
    float whole, x = in_f(ID), mantissa = frexp(x, exponent), part = modf(x, whole);
    put(ID * 6u + 0u, mantissa);
    put(ID * 6u + 1u, exponent);
    put(ID * 6u + 2u, ldexp(mantissa, exponent + 3));
    put(ID * 6u + 3u, whole);
    put(ID * 6u + 4u, part);
    put(ID * 6u + 5u, ldexp(x, int(ID % 9u) - 4));
}
