#version 460
// images 1 1 1 tolerance 0.01
#extension GL_GOOGLE_include_directive : require
// Comparisons with depth.
#include "common.glsl"
#include "images.glsl"
layout(local_size_x = 64) in;
void main()
{
    uint i = ID;
    vec2 c = vec2((float(i % 8u) + 0.25) / 8.0, (float(i / 8u) + 0.625) / 8.0);
    float reference = float(i % 16u) / 16.0 + 0.03125;
    vec3 direction = normalize(in_v3(i) + vec3(0.0, 0.0, 0.01));
    put(i * 8u, textureLod(sampler2DShadow(depth_plane, comparing), vec3(c, reference), 0.0));
    put(i * 8u + 1u, textureGrad(sampler2DShadow(depth_plane, comparing), vec3(c, reference), vec2(0.0625, 0.0), vec2(0.0, 0.0625)));
    put(i * 8u + 2u, textureProjLod(sampler2DShadow(depth_plane, comparing), vec4(c * 2.0, reference * 2.0, 2.0), 0.0));
    put(i * 8u + 3u, textureLodOffset(sampler2DShadow(depth_plane, comparing), vec3(c, reference), 0.0, ivec2(3, -4)));
    put(i * 8u + 4u, textureGrad(sampler2DArrayShadow(depth_planes, comparing), vec4(c, float(i % 3u), reference), vec2(0.0625, 0.0), vec2(0.0, 0.0625)));
    put(i * 8u + 5u, textureGrad(samplerCubeShadow(depth_cube, comparing), vec4(direction, reference), vec3(0.0), vec3(0.0)));
    put(i * 8u + 6u, textureProjGrad(sampler2DShadow(depth_plane, comparing), vec4(c * 0.5, reference * 0.5, 0.5), vec2(0.0625, 0.0), vec2(0.0, 0.0625)));
    put(i * 8u + 7u, textureLod(sampler2D(depth_plane, nearest), c, 0.0).x);
}
