#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A ray and eight spheres.
// run 4 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

void main()
{
    vec3 origin = vec3(0.0, 0.0, -12.0), direction = normalize(vec3(in_v2(ID) * 0.25, 1.0));
    float nearest = 1e6;
    uint who = 99u;
    for (uint i = 0u; i < 8u; i++) {
        vec3 to = origin - in_v3(i);
        float b = dot(to, direction), c = dot(to, to) - 1.5, d = b * b - c;
        if (d > 0.01) {
            float t = -b - sqrt(d);
            if (t > 0.0 && t < nearest) {
                nearest = t;
                who = i;
            }
        }
    }
    put(ID, vec2(who == 99u ? -1.0 : nearest, float(who)));
}
