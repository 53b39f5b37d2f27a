#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Between floats and integers.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    float x = in_f(ID) * 1000.0;
    int i = in_i(ID);
    uint u = in_u(ID);
    put(ID * 6u + 0u, int(x));
    put(ID * 6u + 1u, uint(abs(x)));
    put(ID * 6u + 2u, float(i));
    put(ID * 6u + 3u, float(u));
    put(ID * 6u + 4u, float(int(u & 0xffu)) * 0.5);
    put(ID * 6u + 5u, bool(u & 4u));
}
