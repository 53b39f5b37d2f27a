#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// The escape time with doubles.
// run 1 1 1
layout(local_size_x = 64) in;

void main()
{
    double cx = double(in_f(ID)) * 0.5lf, cy = double(in_f(ID + 64u)) * 0.375lf, x = 0.0lf, y = 0.0lf;
    uint n = 0u;
    while (n < 40u && x * x + y * y < 4.0lf) {
        double t = x * x - y * y + cx;
        y = 2.0lf * x * y + cy;
        x = t;
        n++;
    }
    put(ID, n);
}
