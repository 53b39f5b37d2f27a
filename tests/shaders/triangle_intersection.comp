#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Rays and triangles by Moeller and Trumbore.
// run 4 1 1 tolerance 1e-2
layout(local_size_x = 64) in;

void main()
{
    vec3 origin = vec3(0.0, 0.0, -10.0), direction = normalize(vec3(in_v2(ID) * 0.2, 1.0));
    vec3 a = vec3(-6.0, -6.0, 1.0), ab = vec3(12.0, 0.5, 0.0), ac = vec3(0.25, 12.0, 2.0);
    vec3 p = cross(direction, ac);
    float inverse = 1.0 / dot(ab, p);
    vec3 to = origin - a, q = cross(to, ab);
    float u = dot(to, p) * inverse, v = dot(direction, q) * inverse, t = dot(ac, q) * inverse;
    put(ID, vec3(u, v, t));
}
