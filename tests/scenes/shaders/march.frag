#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;
layout(binding = 0) uniform sampler3D density;
layout(constant_id = 0) const int STEPS = 8;

float at(vec3 p)
{
    return textureLod(density, p * 0.5 + 0.5, 0.0).r;
}

// Back faces of the box: the ray enters where the eye's side of the box is.
void main()
{
    vec3 eye = vec3(1.6, 1.3, 3.4), way = normalize(world - eye), inverse = 1.0 / way;
    vec3 a = (-1.0 - eye) * inverse, b = (1.0 - eye) * inverse, low = min(a, b), high = max(a, b);
    float from = max(low.x, max(low.y, low.z)), to = min(high.x, min(high.y, high.z));
    if (to <= from)
        discard;
    float step_length = 3.4641 / float(STEPS), passed = 1.0;
    vec3 sum = vec3(0.0), l = normalize(vec3(-0.5, 0.8, 0.45));
    for (float t = from + 0.5 * step_length; t < to && passed > 0.02; t += step_length) {
        vec3 p = eye + way * t;
        float here = at(p), dense = smoothstep(0.25, 0.7, here);
        if (dense < 0.004)
            continue;
        float lit_by = clamp((here - at(p + l * 0.12)) * 3.5 + 0.3, 0.0, 1.2);
        vec3 base = 0.5 + 0.5 * cos(2.0 * PI * (vec3(0.0, 0.33, 0.6) + p.y * 0.42 + 0.1) + p.x);
        float thick = 1.0 - exp(-dense * 9.0 * step_length);
        sum += passed * thick * base * (vec3(0.06, 0.07, 0.11) + lit_by * vec3(1.2, 1.1, 0.95));
        passed *= 1.0 - thick;
    }
    if (passed > 0.995)
        discard;
    color_out = vec4(sum, 1.0 - passed);
}
