#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// Lines: the object's colour, fainter far away.
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;

void main()
{
    float near = smoothstep(11.0, 3.0, distance(world, vec3(0.5, 3.2, 6.0)));
    color_out = vec4(object.color.rgb * (0.35 + 0.65 * near), 1.0);
}
