#version 460
// images 1 1 1 tolerance 0.01
#extension GL_GOOGLE_include_directive : require
// Four texels at once: a component, offsets that are the same for all, four offsets, comparisons, integers.
#include "common.glsl"
#include "images.glsl"
layout(local_size_x = 64) in;
const ivec2 four[4] = ivec2[](ivec2(-1, 2), ivec2(3, 0), ivec2(0, -4), ivec2(2, 2));
void main()
{
    uint i = ID;
    // Between texels, never at the middle of one, where rounding decides.
    vec2 c = vec2((float(i % 8u) * 2.0 + 0.8) / 16.0, (float(i / 8u) * 2.0 + 0.7) / 16.0);
    float reference = float(i % 16u) / 16.0 + 0.03125;
    vec3 direction = vec3(1.0, c * 1.5 - 0.8);
    ivec2 offset = ivec2(i % 5u, i % 3u) - 2;
    vec4 sum[11];
    sum[0] = textureGather(sampler2D(plane, nearest), c);
    sum[1] = textureGather(sampler2D(plane, linear), c, 2);
    sum[2] = textureGatherOffset(sampler2D(plane, nearest), c, ivec2(2, -3), 1);
    sum[3] = textureGatherOffset(sampler2D(plane, linear), c, offset, 3);
    sum[4] = textureGatherOffsets(sampler2D(plane, linear), c * 0.5 + 0.3, four, 1); // lavapipe does not repeat these at the edges
    sum[5] = textureGather(sampler2DShadow(depth_plane, comparing), c, reference);
    sum[6] = textureGatherOffset(sampler2DShadow(depth_plane, comparing), c, reference, ivec2(1, 1));
    sum[7] = textureGather(sampler2DArray(planes, nearest), vec3(c, float(i % 3u)), 3);
    sum[8] = textureGather(samplerCube(cube, nearest), direction, 0);
    sum[9] = uintBitsToFloat(textureGather(usampler2D(words_plane, nearest), c) >> 8u);
    sum[10] = vec4(textureGather(isampler2D(signed_plane, nearest), c) >> 16);
    for (uint n = 0u; n < 11u; n++)
        put(i * 11u + n, sum[n]);
}
