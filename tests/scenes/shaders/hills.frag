#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;

void main()
{
    vec3 n = normalize(normal), base = mix(vec3(0.02, 0.06, 0.14), vec3(0.25, 0.04, 0.2), smoothstep(-0.4, 1.0, world.y));
    color_out = vec4(ambient(base, n, vec3(0.8), vec3(0.3)) + base * max(dot(n, normalize(vec3(-0.6, 0.7, 0.3))), 0.0), 1.0);
}
