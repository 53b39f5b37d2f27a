#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Sine, cosine, tangent.
// run 4 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

void main()
{
    float x = in_f(ID);
    put(ID * 4u + 0u, sin(x));
    put(ID * 4u + 1u, cos(x));
    put(ID * 4u + 2u, tan(x * 0.25));
    put(ID * 4u + 3u, sin(x) * sin(x) + cos(x) * cos(x));
}
