#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// A sphere in a studio, in as wide a range as the target has: the same light into formats of all kinds.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color_out;
layout(constant_id = 0) const int MAPPED = 0; // 1: for targets that hold 0 to 1; 2: the same with few bits, as square roots

void main()
{
    vec2 at = (uv * 2.0 - 1.0) * vec2(4.0 / 3.0, -1.0);
    vec3 eye = vec3(0.0, 0.12, 3.2), way = normalize(vec3(at * 0.42, -1.0)), color;
    float b = dot(eye, way), c = dot(eye, eye) - 1.0, d = b * b - c;
    vec3 light = vec3(-2.0, 3.0, 2.5), base = object.color.rgb;
    if (d > 0.0) {
        vec3 p = eye + way * (-b - sqrt(d)), n = p, l = normalize(light - p);
        color = ambient(base, n, vec3(0.1, 0.12, 0.16), vec3(0.05, 0.04, 0.03)) + lit(base, 0.3, n, -way, l, vec3(4.0, 3.6, 3.2));
        color += vec3(0.3, 0.4, 0.6) * pow(1.0 - max(dot(n, -way), 0.0), 3.0);
    } else {
        float glow = max(dot(way, normalize(light - eye)), 0.0);
        color = mix(vec3(0.06, 0.07, 0.1), base * 0.12 + 0.03, uv.y) + vec3(0.5, 0.36, 0.22) * pow(glow, 3.0);
    }
    if (MAPPED != 0)
        color = filmic(color);
    color_out = vec4(MAPPED == 2 ? sqrt(color) : color, 1.0);
}
