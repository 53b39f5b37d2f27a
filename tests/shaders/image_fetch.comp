#version 460
// images 1 1 1 tolerance 0.000001
#extension GL_GOOGLE_include_directive : require
// Texels by their place: levels, layers, samples, buffers, integers; of an image by itself and of one with its sampler.
#extension GL_EXT_samplerless_texture_functions : require
#include "common.glsl"
#include "images.glsl"
layout(local_size_x = 64) in;
void main()
{
    uint i = ID;
    ivec2 at = ivec2(i % 8u, i / 8u);
    vec4 sum[10];
    sum[0] = texelFetch(plane, at, int(i % 2u));
    sum[1] = texelFetchOffset(sampler2D(plane, nearest), at, 0, ivec2(7, 5));
    sum[2] = texelFetch(combined, at / 2, 2);
    sum[3] = texelFetch(sampler2DArray(planes, nearest), ivec3(at, i % 3u), 1);
    sum[4] = texelFetch(sampler3D(volume, nearest), ivec3(at, i % 8u), 0);
    sum[5] = texelFetch(sampler1D(line, nearest), at.x, 1);
    sum[6] = texelFetch(sampler2DMS(samples_plane, nearest), at, int(i % 4u));
    sum[7] = texelFetch(texels, int(i * 5u));
    sum[8] = uintBitsToFloat(texelFetch(usampler2D(words_plane, nearest), at, 0) | 0x40000000u);
    sum[9] = vec4(texelFetch(isampler2D(signed_plane, nearest), at, 0) >> 8);
    for (uint n = 0u; n < 10u; n++)
        put(i * 10u + n, sum[n]);
}
