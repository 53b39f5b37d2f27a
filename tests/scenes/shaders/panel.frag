#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color_out;
layout(binding = 0) uniform sampler2D panel;

void main()
{
    vec3 color = textureLod(panel, uv, 0.0).rgb;
    vec2 edge = min(uv, 1.0 - uv);
    color_out = vec4(mix(vec3(0.02), object.color.a > 1.5 ? color * color : object.color.a > 0.5 ? color : filmic(color), step(0.012, min(edge.x, edge.y))), 1.0);
}
