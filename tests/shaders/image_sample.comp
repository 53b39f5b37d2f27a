#version 460
// images 1 1 1 tolerance 0.01
#extension GL_GOOGLE_include_directive : require
// Sampling with a level or gradients of its own, in all dimensions.
#include "common.glsl"
#include "images.glsl"
layout(local_size_x = 64) in;
void main()
{
    uint i = ID;
    vec4 c = vec4((float(i % 8u) + 0.25) / 8.0, (float(i / 8u) + 0.625) / 8.0, 0.375, 1.0);
    vec3 direction = normalize(in_v3(i) + vec3(0.0, 0.0, 0.01));
    vec4 sum[14];
    sum[0] = textureLod(sampler2D(plane, nearest), c.xy, 0.0);
    sum[1] = textureLod(sampler2D(plane, linear), c.xy * 1.5, 0.75);
    sum[2] = textureLodOffset(sampler2D(plane, nearest), c.xy, 1.0, ivec2(-2, 3));
    sum[3] = textureProjLod(sampler2D(plane, linear), vec3(c.xy * 2.0, 2.0), 0.0);
    sum[4] = textureProjLodOffset(sampler2D(plane, linear), vec4(c.xy * 3.0, 9.0, 3.0), 1.0, ivec2(1, 1));
    sum[5] = textureGrad(sampler2D(plane, linear), c.xy, vec2(0.125, 0.0), vec2(0.0, 0.125));
    sum[6] = textureGradOffset(sampler2D(plane, linear), c.xy, vec2(0.25, 0.0), vec2(0.0, 0.0625), ivec2(2, -1));
    sum[7] = textureProjGrad(sampler2D(plane, linear), vec3(c.xy, 0.5), vec2(0.125, 0.0), vec2(0.0, 0.125));
    sum[8] = textureLod(sampler2DArray(planes, nearest), vec3(c.xy, float(i % 4u) - 0.25), 1.0);
    sum[9] = textureLod(samplerCube(cube, nearest), direction, 0.0);
    sum[10] = textureLod(sampler3D(volume, linear), vec3(c.xy, c.z), 0.5);
    sum[11] = textureLod(sampler1D(line, linear), c.x, 1.5);
    sum[12] = textureLod(samplerCubeArray(cubes, nearest), vec4(direction, float(i & 1u)), 0.0);
    sum[13] = textureLod(sampler1DArray(lines, nearest), vec2(c.x, float(i % 3u)), 0.0);
    for (uint n = 0u; n < 14u; n++)
        put(i * 14u + n, sum[n]);
}
