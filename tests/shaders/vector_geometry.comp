#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// dot, cross, length, normalize, reflect, refract, faceforward, distance.
// run 4 1 1 tolerance 1e-4
layout(local_size_x = 64) in;

void main()
{
    vec3 a = in_v3(ID), b = in_v3(ID + 200u), n = normalize(b);
    put(ID * 2u, vec3(dot(a, b), length(a), distance(a, b)));
    put(ID * 2u + 1u, cross(a, b) + reflect(a, n) + refract(normalize(a), n, 0.75) + faceforward(n, a, b));
}
