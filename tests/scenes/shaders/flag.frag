#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) flat in int tile;
layout(location = 0) out vec4 color_out;

void main()
{
    vec3 n = normalize(normal), v = normalize(vec3(2.3, 0.6, 6.0) - world);
    n = dot(n, v) < 0.0 ? -n : n;
    vec3 base = (tile + tile / 8) % 2 == 0 ? vec3(0.72, 0.06, 0.08) : vec3(0.9, 0.86, 0.78);
    float far = distance(uv * vec2(1.6, 1.0), vec2(0.8, 0.5));
    base = mix(base, vec3(0.05, 0.1, 0.32), smoothstep(0.305, 0.295, far));
    base = mix(base, vec3(0.95, 0.75, 0.2), smoothstep(0.01, -0.01, abs(far - 0.22) - 0.035));
    vec3 color = ambient(base, n, vec3(0.3, 0.35, 0.45), vec3(0.15, 0.13, 0.1)) + lit(base, 0.6, n, v, normalize(vec3(-0.6, 0.7, 0.7)), vec3(2.6, 2.4, 2.0));
    color_out = vec4(filmic(color), 1.0);
}
