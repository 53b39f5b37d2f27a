#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// More values alive than is comfortable.
// run 1 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

void main()
{
    float v[48];
    for (int i = 0; i < 48; i++)
        v[i] = in_f(ID * 48u + uint(i));
    float sum = 0.0;
    for (int i = 0; i < 48; i++)
        for (int j = 0; j < 4; j++)
            sum += v[i] * v[(i * 7 + j * 13 + 5) % 48];
    put(ID, sum);
}
