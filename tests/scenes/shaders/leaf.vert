#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// Ferns: an instance is a leaf that bends away from its plant. The mesh is flat: x across, z along.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec2 uv_out;
layout(location = 1) out vec3 normal_out;
layout(location = 2) out vec3 color_out;
layout(location = 3) out vec3 world_out;

void main()
{
    int plant = gl_InstanceIndex / 14, leaf = gl_InstanceIndex % 14;
    float size = 0.9 + 0.25 * sin(float(plant) * 3.7), angle = float(leaf) * (2.0 * PI / 14.0) + float(plant) * 1.3;
    vec3 root = vec3(sin(float(plant) * 2.4) * sqrt(float(plant) + 0.3) * 0.72, 0.0, cos(float(plant) * 2.4) * sqrt(float(plant) + 0.3) * 0.85 - 0.9);
    float along = uv.y, rise = 0.75 + 0.35 * sin(float(leaf) * 5.1);
    vec3 out_way = vec3(sin(angle), 0.0, cos(angle)), side = vec3(out_way.z, 0.0, -out_way.x);
    vec3 at = root + size * (out_way * along * 1.05 + vec3(0.0, rise * along * (1.6 - 1.15 * along), 0.0) + side * position.x * 0.2);
    uv_out = uv;
    vec3 way = out_way * 1.05 + vec3(0.0, rise * (1.6 - 2.3 * along), 0.0);
    normal_out = normalize(cross(side, way));
    color_out = mix(vec3(0.01, 0.09, 0.03), vec3(0.12, 0.3, 0.05), along * 0.7 + 0.3 * fract(float(plant) * 0.618));
    world_out = at;
    gl_Position = object.clip * vec4(at, 1.0);
}
