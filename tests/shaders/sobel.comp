#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Edges: Sobel's operator on bytes.
// run 2 2 1 tolerance 1e-4
layout(local_size_x = 8, local_size_y = 8) in;

int grey(ivec2 p)
{
    p = clamp(p, ivec2(0), ivec2(15));
    return int(in_u(uint(p.y * 16 + p.x)) & 255u);
}

void main()
{
    ivec2 p = ivec2(gl_GlobalInvocationID.xy);
    int gx = 0, gy = 0;
    for (int i = -1; i <= 1; i++) {
        int weight = 2 - abs(i);
        gx += weight * (grey(p + ivec2(1, i)) - grey(p + ivec2(-1, i)));
        gy += weight * (grey(p + ivec2(i, 1)) - grey(p + ivec2(i, -1)));
    }
    put(uint(p.y * 16 + p.x), sqrt(float(gx * gx + gy * gy)));
}
