#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec2 uv;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 color;
layout(location = 3) in vec3 world;
layout(location = 0) out vec4 color_out;

// Leaflets on both sides of a stalk; alpha becomes coverage.
void main()
{
    float x = abs(uv.x * 2.0 - 1.0), y = uv.y * 8.0 + x * 1.2, width = 0.95 * sin(PI * clamp(uv.y * 0.92 + 0.06, 0.0, 1.0));
    float leaflet = abs(fract(y) - 0.5) * 2.0 - 0.78 * sqrt(clamp(1.0 - x / max(width, 0.05), 0.0, 1.0)), stalk = (x - 0.08) * 4.0;
    float inside = min(leaflet, stalk);
    float alpha = clamp(0.5 - 2.0 * inside / max(fwidthFine(inside), 1e-4), 0.0, 1.0);
    vec3 n = normalize(normal), l = normalize(vec3(-0.4, 0.8, 0.5));
    n = n.y < 0.0 ? -n : n;
    vec3 base = color * (stalk < 0.0 ? 0.55 : 1.0);
    vec3 lit_color = ambient(base, n, vec3(0.5, 0.6, 0.6), vec3(0.12, 0.1, 0.05)) + base * max(dot(n, l), 0.0) * vec3(1.5, 1.4, 1.0);
    lit_color += base * pow(max(dot(-n, l) + 0.9, 0.0), 2.0) * 0.3;
    color_out = vec4(filmic(lit_color), alpha);
}
