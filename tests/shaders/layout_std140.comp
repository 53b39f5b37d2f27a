#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// std140: strides of arrays and matrices, nested structures.
// run 1 1 1 tolerance 1e-5
layout(local_size_x = 64) in;

struct Light {
    vec3 colour;
    float power;
};

layout(set = 0, binding = 2, std140) uniform Scene {
    uvec4 skip[4];
    mat3 turn;
    Light lights[2];
    float factors[3];
    layout(row_major) mat4x2 map;
} scene;

void main()
{
    vec3 v = scene.turn * in_v3(ID);
    for (uint i = 0u; i < 2u; i++)
        v += scene.lights[i].colour * scene.lights[i].power;
    v.xy += scene.map * vec4(v, 1.0);
    put(ID, v * scene.factors[ID % 3u]);
}
