#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec3 world_out;
layout(location = 1) out vec3 normal_out;
layout(location = 2) out vec2 uv_out;
invariant gl_Position;

void main()
{
    vec4 at = vec4(position, 1.0);
    world_out = vec3(dot(object.model[0], at), dot(object.model[1], at), dot(object.model[2], at));
    normal_out = vec3(dot(object.model[0].xyz, normal), dot(object.model[1].xyz, normal), dot(object.model[2].xyz, normal));
    uv_out = uv;
    gl_Position = object.clip * at;
}
