#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// Shells of a planet: of two draws each keeps one side of a plane, so that together they lack a quarter.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec3 world_out;
layout(location = 1) out vec3 normal_out;
layout(location = 2) out vec3 own_out;
layout(constant_id = 0) const int SIDE = 0;
out gl_PerVertex
{
    vec4 gl_Position;
    float gl_ClipDistance[2];
};

void main()
{
    vec4 at = vec4(position, 1.0);
    world_out = vec3(dot(object.model[0], at), dot(object.model[1], at), dot(object.model[2], at));
    normal_out = vec3(dot(object.model[0].xyz, normal), dot(object.model[1].xyz, normal), dot(object.model[2].xyz, normal));
    own_out = position;
    gl_Position = object.clip * at;
    gl_ClipDistance[0] = SIDE == 0 ? -position.x : position.x;
    gl_ClipDistance[1] = SIDE == 0 ? 1.0 : -position.z;
}
