#version 460
// images 2 1 1
#extension GL_GOOGLE_include_directive : require
// Atomics on texels of images and of texel buffers. Only what does not depend on the order of the lanes is kept.
#include "common.glsl"
#include "images.glsl"
layout(local_size_x = 64) in;
void main()
{
    uint i = ID;
    ivec2 at = ivec2(i % 4u, 0);
    uint word = in_u(i);
    imageAtomicAdd(words_image, at, word);
    imageAtomicMin(words_image, at + ivec2(0, 1), word);
    imageAtomicMax(words_image, at + ivec2(0, 2), word);
    imageAtomicAnd(words_image, at + ivec2(0, 3), word | 0xffu);
    imageAtomicOr(words_image, at + ivec2(0, 4), word & 0xff00u);
    imageAtomicXor(words_image, at + ivec2(0, 5), word);
    put(i, imageAtomicExchange(words_image, ivec2(i % 16u, 8 + i / 16u), word));
    put(i + 128u, imageAtomicCompSwap(cube_image, ivec3(i % 8u, i / 8u % 8u, i / 64u), 7u, word));
    imageAtomicMin(volume_image, ivec3(at, 1), int(word));
    imageAtomicMax(volume_image, ivec3(at, 2), int(word));
    put(i + 256u, imageAtomicAdd(volume_image, ivec3(i % 8u, i / 8u % 8u, 3 + i / 64u), 5));
    imageAtomicAdd(texels_image, int(i % 8u), word);
    imageAtomicXor(texels_image, int(i % 8u) + 16, word);
    imageAtomicMax(line_image, int(i % 32u), word);
}
