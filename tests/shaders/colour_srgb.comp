#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// sRGB both ways, on packed colours.
// run 4 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

vec3 decode(vec3 c)
{
    return mix(c / 12.92, pow((c + 0.055) / 1.055, vec3(2.4)), greaterThan(c, vec3(0.04045)));
}

vec3 encode(vec3 c)
{
    return mix(c * 12.92, 1.055 * pow(c, vec3(1.0 / 2.4)) - 0.055, greaterThan(c, vec3(0.0031308)));
}

void main()
{
    vec3 a = decode(unpackUnorm4x8(in_u(ID)).rgb), b = decode(unpackUnorm4x8(in_u(ID + 1u)).rgb);
    put(ID, encode(mix(a, b, 0.5)));
}
