#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 3) flat in vec4 colors[2];
layout(location = 0) out vec4 color_out;
layout(binding = 0) uniform Band
{
    mat4 clip;
    vec4 haze; // and how much of it
};

void main()
{
    vec3 n = normalize(normal), v = normalize(vec3(0.0, 0.4, 6.0) - world);
    float panels = sin(uv.x * 2.0 * PI * 8.0), rim = smoothstep(0.02, 0.0, abs(uv.y - 0.62) - 0.05);
    vec3 base = mix(colors[0].rgb, colors[1].rgb, smoothstep(-0.15, 0.15, panels));
    base = mix(base, colors[1].bgr, rim);
    base = mix(base, vec3(0.16, 0.09, 0.04), smoothstep(0.125, 0.115, uv.y)); // the basket
    vec3 color = ambient(base, n, vec3(0.35, 0.34, 0.42), vec3(0.3, 0.2, 0.16)) + lit(base, 0.55, n, v, normalize(vec3(-0.75, 0.25, 0.5)), vec3(2.6, 1.9, 1.3));
    color_out = vec4(filmic(mix(color, haze.rgb, haze.a)), 1.0);
}
