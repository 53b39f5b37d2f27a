#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// Alpha: whether it burns.
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;

void main()
{
    vec3 n = normalize(normal), v = normalize(vec3(0.0, 1.3, 5.4) - world), base = object.color.rgb;
    vec3 color = ambient(base, n, vec3(0.12, 0.13, 0.18), vec3(0.06, 0.05, 0.05)) + lit(base, 0.5, n, v, normalize(vec3(-0.4, 0.8, 0.6)), vec3(1.6, 1.5, 1.3));
    color += object.color.a * base * (0.8 + 1.6 * max(dot(n, v), 0.0));
    color_out = vec4(filmic(color), 1.0);
}
