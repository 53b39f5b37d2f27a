#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;
layout(location = 1) out vec4 shape_out; // normal and distance

void main()
{
    vec3 n = normalize(normal), l = normalize(vec3(-0.5, 0.8, 0.5));
    float light = dot(n, l), bands = 0.35 + 0.3 * smoothstep(-0.12, -0.04, light) + 0.35 * smoothstep(0.42, 0.5, light);
    vec3 eye = vec3(1.0, 2.2, 6.0), v = normalize(eye - world);
    float shine = smoothstep(0.955, 0.975, dot(n, normalize(l + v)));
    color_out = vec4(object.color.rgb * bands + shine * 0.5, bands);
    shape_out = vec4(n, distance(eye, world));
}
