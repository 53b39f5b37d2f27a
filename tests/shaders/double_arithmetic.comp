#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Doubles: sum, product, quotient, root.
// run 2 1 1 tolerance 1e-14 double
layout(local_size_x = 64) in;

layout(set = 0, binding = 1, std430) buffer Doubles {
    double data[];
} doubles;

void main()
{
    double a = double(in_f(ID)), b = double(in_f(ID + 64u)) + 8.0lf;
    doubles.data[ID * 8u + 0u] = a + b;
    doubles.data[ID * 8u + 1u] = a * b;
    doubles.data[ID * 8u + 2u] = a / b;
    doubles.data[ID * 8u + 3u] = sqrt(b);
    doubles.data[ID * 8u + 4u] = fma(a, b, 0.1lf);
    doubles.data[ID * 8u + 5u] = floor(a) + trunc(a * 4.0lf);
    doubles.data[ID * 8u + 6u] = min(a, b) + abs(a);
    doubles.data[ID * 8u + 7u] = a < 0.0lf ? -1.0lf : double(int(a)) + double(in_u(ID));
}
