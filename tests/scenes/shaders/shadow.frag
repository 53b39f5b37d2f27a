#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;
layout(binding = 0) uniform Scene
{
    vec4 eye, to_light;
    mat4 light_clip;
};
layout(binding = 1) uniform sampler2DShadow depths;

float sunlit()
{
    vec4 at = light_clip * vec4(world + normalize(normal) * 0.03, 1.0);
    vec3 place = vec3(at.xy * 0.5 + 0.5, at.z);
    float sum = 0.0;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++)
            sum += texture(depths, place + vec3(vec2(x, y) * (1.2 / 512.0), 0.0));
    }
    return sum / 9.0;
}

void main()
{
    vec3 n = normalize(normal), v = normalize(eye.xyz - world), base = object.color.rgb;
    if (object.color.a > 0.5) { // the floor: tiles
        vec2 tile = world.xz * 0.9, line = abs(fract(tile) - 0.5);
        float grout = smoothstep(0.46, 0.49, max(line.x, line.y));
        float odd = mod(floor(tile.x) + floor(tile.y), 2.0);
        base *= mix(mix(0.75, 1.0, odd), 0.45, grout);
    }
    vec3 sum = ambient(base, n, vec3(0.13, 0.17, 0.25), vec3(0.06, 0.045, 0.04));
    sum += lit(base, 0.38, n, v, to_light.xyz, vec3(2.3, 2.0, 1.6)) * sunlit();
    float haze = smoothstep(7.0, 16.0, distance(eye.xyz, world));
    color_out = vec4(filmic(mix(sum, vec3(0.42, 0.5, 0.62), haze)), 1.0);
}
