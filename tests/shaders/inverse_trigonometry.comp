#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Arc functions.
// run 4 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

void main()
{
    float x = in_f(ID) * 0.2499, y = in_f(ID + 1u);
    put(ID * 5u + 0u, asin(x));
    put(ID * 5u + 1u, acos(x));
    put(ID * 5u + 2u, atan(x));
    put(ID * 5u + 3u, atan(y));
    put(ID * 5u + 4u, atan(x, y));
}
