#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Turns by quaternions, and between two of them.
// run 4 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

vec4 multiply(vec4 a, vec4 b)
{
    return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz));
}

void main()
{
    vec4 a = normalize(in_v4(ID) + vec4(0.0, 0.0, 0.0, 9.0)), b = normalize(in_v4(ID + 64u) + vec4(9.0, 0.0, 0.0, 9.0));
    vec4 mean = normalize(mix(a, b, 0.25)), turned = multiply(multiply(mean, vec4(in_v3(ID), 0.0)), vec4(-mean.xyz, mean.w));
    put(ID, turned);
}
