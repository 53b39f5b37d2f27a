#version 460
// images 1 1 1 tolerance 0.000001
#extension GL_GOOGLE_include_directive : require
// Storage images: loads and stores of every dimension.
#include "common.glsl"
#include "images.glsl"
layout(local_size_x = 64) in;
void main()
{
    uint i = ID;
    ivec2 at = ivec2(i % 8u, i / 8u);
    uint word = imageLoad(words_image, at).x;
    vec4 floats = imageLoad(floats_image, at + 8);
    vec4 bytes = imageLoad(bytes_image, ivec3(at, 2));
    int deep = imageLoad(volume_image, ivec3(at, 5)).x;
    uint face = imageLoad(cube_image, ivec3(at, 3)).x;
    put(i * 16u, word);
    put(i * 16u + 1u, deep);
    put(i * 16u + 2u, face);
    put(i * 4u + 1u, floats);
    put(i * 4u + 2u, bytes);
    imageStore(words_image, at + 8, uvec4(word * 3u));
    imageStore(floats_image, at, floats * 2.0);
    imageStore(bytes_image, ivec3(at, 1), vec4(float(i) / 64.0, 0.0, 1.0, 2.0));
    imageStore(volume_image, ivec3(at, i % 4u), ivec4(int(i) * -7));
    imageStore(cube_image, ivec3(at, 5), uvec4(i * i));
    imageStore(texels_image, int(i) + 16, uvec4(i + 1000u));
    if (i < 16u) {
        put(1024u + i, imageLoad(line_image, int(i)).x);
        imageStore(line_image, int(i) + 16, uvec4(i ^ 5u));
        put(1040u + i, imageLoad(texels_image, int(i) + 512).x);
    }
}
