#version 460
// images 1 1 1 tolerance 0.01 judge mesa
#extension GL_GOOGLE_include_directive : require
// Arrays of images with their samplers: a constant index, one that all lanes share, one of each lane.
#extension GL_EXT_nonuniform_qualifier : require
#include "common.glsl"
#include "images.glsl"
layout(local_size_x = 64) in;
void main()
{
    uint i = ID;
    vec2 c = vec2((float(i % 8u) + 0.25) / 8.0, (float(i / 8u) + 0.625) / 8.0);
    put(i * 3u, textureLod(combined_array[2], c, 0.0));
    put(i * 3u + 1u, textureLod(combined_array[push.words[0] & 1u], c, 0.0));
    put(i * 3u + 2u, textureLod(combined_array[nonuniformEXT(in_u(i) % 3u)], c, 0.0));
}
