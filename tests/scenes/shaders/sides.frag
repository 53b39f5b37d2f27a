#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// The front in the object's colour, the back in another.
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;

void main()
{
    vec3 n = normalize(normal), v = normalize(vec3(0.0, 1.6, 4.2) - world);
    n = dot(n, v) < 0.0 ? -n : n;
    vec3 base = gl_FrontFacing ? object.color.rgb : object.color.brg * 0.8 + 0.1;
    vec3 color = ambient(base, n, vec3(0.3, 0.33, 0.4), vec3(0.16, 0.13, 0.12)) + lit(base, 0.4, n, v, normalize(vec3(-0.5, 0.8, 0.6)), vec3(2.2));
    color_out = vec4(filmic(color), object.color.a);
}
