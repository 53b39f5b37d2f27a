#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Points on a Catmull-Rom spline.
// run 4 1 1 tolerance 1e-4
layout(local_size_x = 64) in;

void main()
{
    uint segment = ID / 8u;
    float t = float(ID % 8u) / 8.0;
    vec2 p0 = in_v2(segment), p1 = in_v2(segment + 1u), p2 = in_v2(segment + 2u), p3 = in_v2(segment + 3u);
    put(ID, 0.5 * (2.0 * p1 + t * (p2 - p0 + t * (2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3 + t * (3.0 * (p1 - p2) + p3 - p0)))));
}
