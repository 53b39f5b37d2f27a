#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec4 color_out;
layout(binding = 0) uniform sampler2D bc1; // colours of bricks
layout(binding = 1) uniform sampler2D bc3; // a lattice with holes
layout(binding = 2) uniform sampler2D bc4; // marble
layout(binding = 3) uniform sampler2D bc5; // normals of bricks
layout(binding = 4) uniform sampler2D bc6; // light
layout(binding = 5) uniform sampler2D bc7; // a picture

void main()
{
    vec3 n = normalize(normal), v = normalize(vec3(0.0, 1.4, 5.6) - world), l = normalize(vec3(-0.5, 0.8, 0.7)), base;
    float rough = 0.5;
    int kind = int(object.color.a);
    if (kind == 0) {
        vec2 at = uv * vec2(4.0, 2.0);
        vec2 bump = texture(bc5, at).rg * 2.0 - 1.0;
        vec3 tangent = normalize(cross(vec3(0.0, 1.0, 0.0), n) + vec3(1e-4, 0.0, 0.0)), up = cross(n, tangent);
        n = normalize(n + (tangent * bump.x + up * bump.y) * 1.1);
        base = texture(bc1, at).rgb;
    } else if (kind == 1) {
        vec4 lattice = texture(bc3, uv * 2.0);
        if (lattice.a < 0.5)
            discard;
        base = lattice.rgb;
        n = gl_FrontFacing ? n : -n;
        rough = 0.35;
    } else if (kind == 2) {
        float veins = texture(bc4, world.xz * 0.3).r;
        base = mix(vec3(0.05, 0.08, 0.07), vec3(0.5, 0.52, 0.48), veins);
        rough = 0.3;
    } else if (kind == 3) {
        color_out = vec4(filmic(texture(bc6, uv).rgb), 1.0);
        return;
    } else {
        base = texture(bc7, uv).rgb;
    }
    vec3 color = ambient(base, n, vec3(0.14, 0.13, 0.16), vec3(0.07, 0.05, 0.04)) + lit(base, rough, n, v, l, vec3(2.2, 1.9, 1.5));
    color_out = vec4(filmic(color), 1.0);
}
