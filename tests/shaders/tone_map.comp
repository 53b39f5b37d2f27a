#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A filmic curve on colours with an exposure of the push constants.
// run 4 1 1 tolerance 1e-4
layout(local_size_x = 64) in;

void main()
{
    vec3 c = abs(in_v3(ID)) * push.floats[1];
    c = clamp((c * (2.51 * c + 0.03)) / (c * (2.43 * c + 0.59) + 0.14), 0.0, 1.0);
    put(ID, c);
}
