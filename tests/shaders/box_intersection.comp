#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Rays and boxes by slabs.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    vec3 origin = in_v3(ID), inverse = vec3(2.0, -0.5, 4.0), low = vec3(-1.0), high = vec3(1.0);
    vec3 t0 = (low - origin) * inverse, t1 = (high - origin) * inverse, near = min(t0, t1), far = max(t0, t1);
    put(ID, max(max(near.x, near.y), max(near.z, 0.0)) <= min(far.x, min(far.y, far.z)));
}
