#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Value noise in four octaves.
// run 4 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

float corner(ivec2 p)
{
    uint h = uint(p.x) * 374761393u + uint(p.y) * 668265263u;
    h = (h ^ h >> 13) * 1274126177u;
    return float(h >> 8) / 16777216.0;
}

float noise(vec2 at)
{
    vec2 whole = floor(at), f = at - whole;
    ivec2 p = ivec2(whole);
    f = f * f * (3.0 - 2.0 * f);
    return mix(mix(corner(p), corner(p + ivec2(1, 0)), f.x), mix(corner(p + ivec2(0, 1)), corner(p + ivec2(1, 1)), f.x), f.y);
}

void main()
{
    vec2 at = in_v2(ID);
    float sum = 0.0, power = 0.5;
    for (uint i = 0u; i < 4u; i++) {
        sum += noise(at) * power;
        at *= 2.0;
        power *= 0.5;
    }
    put(ID, sum);
}
