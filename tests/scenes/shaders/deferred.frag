#version 450
#extension GL_GOOGLE_include_directive : require
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color_out;
layout(input_attachment_index = 0, binding = 0) uniform subpassInput albedo_in;
layout(input_attachment_index = 1, binding = 1) uniform subpassInput normal_in;
layout(input_attachment_index = 2, binding = 2) uniform usubpassInput material_in;
layout(input_attachment_index = 3, binding = 3) uniform subpassInput depth_in;
struct Light { vec4 place, color; };
layout(binding = 4) uniform Scene
{
    mat4 from_clip;
    vec4 eye;
    Light lights[48];
};
#include "common.glsl"
layout(constant_id = 0) const int LIGHTS = 1;

void main()
{
    float depth = subpassLoad(depth_in).r;
    if (depth >= 1.0) {
        color_out = vec4(mix(vec3(0.02, 0.025, 0.05), vec3(0.05, 0.03, 0.07), uv.y), 1.0);
        return;
    }
    vec4 at = from_clip * vec4(uv * 2.0 - 1.0, depth, 1.0);
    vec3 world = at.xyz / at.w, base = subpassLoad(albedo_in).rgb, n = normalize(subpassLoad(normal_in).xyz * 2.0 - 1.0);
    vec3 v = normalize(eye.xyz - world), sum = base * 0.03;
    float rough = float(subpassLoad(material_in).x) / 100.0;
    for (int i = 0; i < LIGHTS; i++) {
        vec3 to = lights[i].place.xyz - world;
        float far = dot(to, to), reach = lights[i].place.w, window = clamp(1.0 - far / (reach * reach), 0.0, 1.0);
        sum += lit(base, rough, n, v, normalize(to), lights[i].color.rgb * window * window / (far + 0.05));
    }
    color_out = vec4(filmic(sum), 1.0);
}
