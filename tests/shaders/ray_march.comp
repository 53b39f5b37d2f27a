#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Sphere tracing of a torus and a box, with a normal and light.
// run 1 1 1 tolerance 2e-2
layout(local_size_x = 64) in;

float scene(vec3 p)
{
    vec2 q = vec2(length(p.xz) - 1.5, p.y);
    vec3 b = abs(p - vec3(0.0, -1.5, 0.0)) - vec3(2.5, 0.25, 2.5);
    float torus = length(q) - 0.5, box = length(max(b, 0.0)) + min(max(b.x, max(b.y, b.z)), 0.0);
    return min(torus, box);
}

vec3 normal(vec3 p)
{
    vec2 e = vec2(0.01, -0.01);
    return normalize(e.xyy * scene(p + e.xyy) + e.yyx * scene(p + e.yyx) + e.yxy * scene(p + e.yxy) + e.xxx * scene(p + e.xxx));
}

void main()
{
    vec2 at = vec2(float(ID & 7u), float(ID >> 3)) / 3.5 - 1.0;
    vec3 origin = vec3(0.0, 3.0, -5.0), direction = normalize(vec3(at.x, at.y - 0.6, 1.2));
    float t = 0.0;
    bool hit = false;
    for (uint i = 0u; i < 64u; i++) {
        float d = scene(origin + direction * t);
        if (d < 0.0005) {
            hit = true;
            break;
        }
        t += d;
        if (t > 20.0)
            break;
    }
    float shade = 0.0;
    if (hit)
        shade = max(dot(normal(origin + direction * t), normalize(vec3(0.5, 1.0, -0.5))), 0.0);
    put(ID, vec2(hit ? t : -1.0, shade));
}
