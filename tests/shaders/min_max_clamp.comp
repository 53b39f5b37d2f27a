#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Minimum, maximum, clamp, step, smoothstep, mix.
// run 4 1 1 tolerance 1e-6
layout(local_size_x = 64) in;

void main()
{
    float x = in_f(ID), y = in_f(ID + 11u), z = in_f(ID + 23u);
    put(ID * 8u + 0u, min(x, y));
    put(ID * 8u + 1u, max(x, max(y, z)));
    put(ID * 8u + 2u, clamp(x, -1.0, 1.0));
    put(ID * 8u + 3u, step(x, y));
    put(ID * 8u + 4u, smoothstep(-2.0, 2.0, x));
    put(ID * 8u + 5u, mix(x, y, 0.25));
    put(ID * 8u + 6u, max(min(x, y), min(max(x, y), z)));
    put(ID * 8u + 7u, mix(x, y, z > 0.0));
}
