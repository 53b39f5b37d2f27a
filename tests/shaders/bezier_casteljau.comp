#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A Bezier curve of degree five by repeated interpolation.
// run 4 1 1 tolerance 1e-4
layout(local_size_x = 64) in;

void main()
{
    vec2 p[6];
    float t = float(ID % 16u) / 15.0;
    for (uint i = 0u; i < 6u; i++)
        p[i] = in_v2(ID / 16u * 5u + i);
    for (uint level = 5u; level > 0u; level--)
        for (uint i = 0u; i < level; i++)
            p[i] = mix(p[i], p[i + 1u], t);
    put(ID, p[0]);
}
