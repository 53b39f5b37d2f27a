#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 albedo_out;
layout(location = 1) out vec4 normal_out;
layout(location = 2) out uvec2 material_out;

void main()
{
    vec3 base = object.color.rgb;
    uint kind = uint(object.color.a);
    if (kind == 1u) {
        vec2 cell = world.xz * 1.5;
        base *= 0.6 + 0.4 * smoothstep(-0.1, 0.1, sin(cell.x * PI) * sin(cell.y * PI));
    }
    albedo_out = vec4(base, 1.0);
    normal_out = vec4(normalize(normal) * 0.5 + 0.5, 1.0);
    material_out = uvec2(kind == 1u ? 90u : 40u, kind);
}
