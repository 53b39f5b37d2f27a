#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Bilinear samples of an image in a buffer.
// run 4 1 1 tolerance 1e-4
layout(local_size_x = 64) in;

float texel(ivec2 p)
{
    p = p & 31;
    return in_f(uint(p.y * 32 + p.x));
}

void main()
{
    vec2 at = in_v2(ID) * 8.0 + 40.0, part = fract(at);
    ivec2 p = ivec2(at);
    float top = mix(texel(p), texel(p + ivec2(1, 0)), part.x), bottom = mix(texel(p + ivec2(0, 1)), texel(p + ivec2(1, 1)), part.x);
    put(ID, mix(top, bottom, part.y));
}
