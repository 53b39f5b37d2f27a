#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// A solid thing: alpha above a half says that it is a floor of tiles.
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;

void main()
{
    vec3 n = normalize(normal), base = object.color.rgb;
    if (object.color.a > 0.5) {
        vec2 tile = sin(world.xz * PI * 1.2);
        base *= 0.55 + 0.45 * smoothstep(-0.1, 0.1, tile.x * tile.y);
    }
    vec3 color = ambient(base, n, vec3(0.16, 0.18, 0.24), vec3(0.08, 0.07, 0.06)) +
                 lit(base, 0.5, n, normalize(vec3(0.0, 1.2, 6.0) - world), normalize(vec3(-0.5, 0.9, 0.6)), vec3(1.4));
    color_out = vec4(filmic(color), 1.0);
}
