#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// The pendulum by Runge and Kutta's fourth order.
// run 1 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

vec2 slope(vec2 y)
{
    return vec2(y.y, -sin(y.x) - 0.1 * y.y);
}

void main()
{
    vec2 y = in_v2(ID) * 0.5;
    for (uint i = 0u; i < 10u; i++) {
        vec2 k1 = slope(y), k2 = slope(y + 0.05 * k1), k3 = slope(y + 0.05 * k2), k4 = slope(y + 0.1 * k3);
        y += 0.1 / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    put(ID, y);
}
