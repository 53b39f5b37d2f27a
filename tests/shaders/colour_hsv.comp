#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// RGB to HSV and back.
// run 4 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

vec3 to_hsv(vec3 c)
{
    float high = max(c.r, max(c.g, c.b)), low = min(c.r, min(c.g, c.b)), d = high - low, h = 0.0;
    if (d > 0.0) {
        if (high == c.r)
            h = (c.g - c.b) / d + (c.g < c.b ? 6.0 : 0.0);
        else if (high == c.g)
            h = (c.b - c.r) / d + 2.0;
        else
            h = (c.r - c.g) / d + 4.0;
    }
    return vec3(h / 6.0, high > 0.0 ? d / high : 0.0, high);
}

vec3 to_rgb(vec3 c)
{
    vec3 p = abs(fract(c.xxx + vec3(1.0, 2.0 / 3.0, 1.0 / 3.0)) * 6.0 - 3.0);
    return c.z * mix(vec3(1.0), clamp(p - 1.0, 0.0, 1.0), c.y);
}

void main()
{
    vec3 hsv = to_hsv(abs(in_v3(ID)) * 0.25);
    put(ID * 2u, hsv);
    put(ID * 2u + 1u, to_rgb(hsv));
}
