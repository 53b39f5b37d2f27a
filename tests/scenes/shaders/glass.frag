#version 450
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
// Lists of what lies over each pixel. Only what the depth test lets through may be written.
layout(early_fragment_tests) in;
layout(location = 0) in vec3 world;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
struct Node { uint color; float depth; uint next; uint unused; };
layout(binding = 0, r32ui) uniform uimage2D heads;
layout(binding = 1) buffer Nodes { uint count; uint most; uint pad[2]; Node nodes[]; };

void main()
{
    vec3 n = normalize(normal), v = normalize(vec3(0.0, 1.2, 6.0) - world), l = normalize(vec3(-0.5, 0.9, 0.6));
    n = gl_FrontFacing ? n : -n;
    float fresnel = pow(1.0 - clamp(dot(n, v), 0.0, 1.0), 2.0), shine = pow(max(dot(n, normalize(l + v)), 0.0), 60.0);
    vec3 color = object.color.rgb * (0.35 + 0.65 * max(dot(n, l), 0.0)) + shine;
    uint at = atomicAdd(count, 1u);
    if (at < most) {
        nodes[at].color = packUnorm4x8(vec4(clamp(color, 0.0, 1.0), clamp(object.color.a + 0.5 * fresnel + shine, 0.0, 1.0)));
        nodes[at].depth = gl_FragCoord.z;
        nodes[at].next = imageAtomicExchange(heads, ivec2(gl_FragCoord.xy), at + 1u);
    }
}
