#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec3 own;
layout(location = 0) out vec4 color_out;

float land(vec3 p)
{
    return sin(p.x * 3.1 + 2.0 * sin(p.y * 2.3)) * cos(p.z * 2.7 + 1.5 * sin(p.x * 2.9 + 1.0)) + 0.35 * sin(p.y * 9.0 + 3.0 * sin(p.z * 5.0)) + 0.2 * sin(p.x * 14.0) * sin(p.z * 13.0);
}

// Alpha: 0 the crust, 1 a cut, coloured by how deep it lies.
void main()
{
    vec3 n = normalize(normal), v = normalize(vec3(2.2, 1.5, 3.4) - world), l = normalize(vec3(0.45, 0.7, 0.75)), base, glow = vec3(0.0);
    float rough = 0.6, far = length(own);
    if (object.color.a < 0.5) {
        float high = land(normalize(own));
        base = mix(vec3(0.03, 0.12, 0.35), mix(vec3(0.16, 0.34, 0.1), vec3(0.5, 0.42, 0.26), smoothstep(0.3, 1.0, high)), smoothstep(0.0, 0.08, high));
        base = mix(base, vec3(0.9), smoothstep(0.78, 0.86, abs(own.y) + 0.05 * high));
        rough = high > 0.04 ? 0.8 : 0.35;
    } else {
        if (far > 1.0)
            discard;
        float core = smoothstep(0.32, 0.29, far), outer = smoothstep(0.6, 0.56, far), mantle = smoothstep(0.95, 0.93, far);
        float grain = 0.5 + 0.5 * sin(far * 60.0 + 2.0 * sin(atan(own.y, own.x + own.z) * 9.0));
        base = mix(vec3(0.3, 0.2, 0.13), mix(vec3(0.55, 0.12, 0.04), vec3(0.75, 0.25, 0.06), grain * 0.6), mantle);
        base = mix(base, vec3(0.9, 0.5, 0.1), outer);
        base = mix(base, vec3(1.0, 0.9, 0.6), core);
        glow = base * (0.05 + 0.25 * mantle * (1.0 - far) + 0.5 * outer + 0.6 * core);
    }
    vec3 color = ambient(base, n, vec3(0.08, 0.09, 0.12), vec3(0.04)) + lit(base, rough, n, v, l, vec3(2.0, 1.9, 1.8)) + glow;
    if (object.color.a < 0.5)
        color += vec3(0.1, 0.25, 0.55) * pow(1.0 - max(dot(n, v), 0.0), 3.0);
    color_out = vec4(filmic(color), 1.0);
}
