#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;
struct Light { vec4 place, color; };
layout(binding = 0) uniform Lights
{
    vec4 eye;
    Light lights[3];
};

void main()
{
    vec3 n = normalize(normal), v = normalize(eye.xyz - world);
    float stripes = smoothstep(-0.25, 0.25, sin(uv.x * 2.0 * PI * 24.0) + 0.4 * sin(uv.y * 2.0 * PI * 2.0));
    vec3 base = mix(object.color.rgb, vec3(0.95, 0.8, 0.55), stripes * 0.75);
    vec3 sum = ambient(base, n, vec3(0.16, 0.2, 0.3), vec3(0.06, 0.04, 0.04));
    for (int i = 0; i < 3; i++) {
        vec3 to = lights[i].place.xyz - world;
        sum += lit(base, mix(0.28, 0.5, stripes), n, v, normalize(to), lights[i].color.rgb * 12.0 / dot(to, to));
    }
    sum += vec3(0.2, 0.35, 0.6) * pow(1.0 - max(dot(n, v), 0.0), 3.0) * 0.6;
    color_out = vec4(filmic(sum), 1.0);
}
