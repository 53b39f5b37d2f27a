#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// Alpha: how much of its own light a thing has.
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;

void main()
{
    vec3 n = normalize(normal), v = normalize(vec3(0.0, 1.5, 6.5) - world), base = object.color.rgb;
    if (object.color.a > 0.0) {
        float facing = max(dot(n, v), 0.0);
        color_out = vec4(mix(base, vec3(1.0), facing * facing * 0.15) * object.color.a, 1.0);
        return;
    }
    vec3 sum = base * 0.02;
    const vec3 places[3] = vec3[](vec3(-1.7, 1.0, 0.0), vec3(0.2, 1.1, -0.6), vec3(1.9, 0.8, 0.2));
    const vec3 colors[3] = vec3[](vec3(1.0, 0.1, 0.45), vec3(0.1, 0.7, 1.0), vec3(1.0, 0.55, 0.08));
    for (int i = 0; i < 3; i++) {
        vec3 to = places[i] - world;
        sum += lit(base, 0.45, n, v, normalize(to), colors[i] * 5.0 / (dot(to, to) + 0.3));
    }
    color_out = vec4(sum, 1.0);
}
