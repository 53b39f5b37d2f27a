#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;
layout(binding = 0) uniform Scene { vec4 eye, light; };
layout(constant_id = 0) const int PASS = 0; // 0: what no light reaches; 1: the light alone; 2: the outline

void main()
{
    vec3 n = normalize(normal), base = object.color.rgb;
    if (object.color.a > 0.5) { // the floor: planks
        float plank = floor(world.x * 1.6);
        base *= 0.72 + 0.28 * sin(plank * 12.9) * sin(plank * 4.1) + 0.05 * sin(world.z * 9.0 + plank * 7.0);
    }
    if (PASS == 0) {
        color_out = vec4(ambient(base, n, vec3(0.07, 0.085, 0.12), vec3(0.035, 0.03, 0.03)), 1.0);
    } else if (PASS == 1) {
        vec3 to = light.xyz - world;
        color_out = vec4(lit(base, 0.45, n, normalize(eye.xyz - world), normalize(to), vec3(60.0, 52.0, 40.0) / dot(to, to)), 1.0);
    } else {
        color_out = vec4(1.0, 0.55, 0.08, 1.0);
    }
}
