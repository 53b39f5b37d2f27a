#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// floor, ceil, trunc, round, roundEven, fract, mod.
// run 4 1 1 tolerance 1e-6
layout(local_size_x = 64) in;

void main()
{
    float x = in_f(ID) * 4.0;
    put(ID * 8u + 0u, floor(x));
    put(ID * 8u + 1u, ceil(x));
    put(ID * 8u + 2u, trunc(x));
    put(ID * 8u + 3u, roundEven(x));
    put(ID * 8u + 4u, fract(x));
    put(ID * 8u + 5u, mod(x, 1.5));
    put(ID * 8u + 6u, x - floor(x));
    put(ID * 8u + 7u, roundEven(x * 2.0) * 0.5);
}
