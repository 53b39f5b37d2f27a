#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;
layout(binding = 0) uniform Scene { vec4 eye; };
layout(binding = 1) uniform samplerCube sky;

void main()
{
    vec3 n = normalize(normal), v = normalize(eye.xyz - world);
    float rough = object.color.a;
    vec3 seen = textureLod(sky, reflect(-v, n), rough * 6.0).rgb;
    float fresnel = pow(1.0 - max(dot(n, v), 0.0), 5.0);
    vec3 around = textureLod(sky, n, 5.0).rgb;
    vec3 color = seen * mix(object.color.rgb, vec3(1.0), fresnel) + around * object.color.rgb * 0.12;
    color_out = vec4(filmic(color), 1.0);
}
