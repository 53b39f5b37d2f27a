#version 460
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_samplerless_texture_functions : require
/* Arrays of every kind of descriptor. OWN: each invocation has an index of its own; else all have the same, of a push constant. */
layout(local_size_x = 64) in;
layout(push_constant) uniform Push {
    uint shift;
};
layout(binding = 0) uniform Uniform { uvec4 word; } uniforms[4];
layout(binding = 1) buffer Storage { uint words[]; } storages[4];
layout(binding = 2, r32ui) uniform uimage2D images[4];
layout(binding = 3) uniform utextureBuffer texels[4];
layout(binding = 4, r32ui) uniform uimageBuffer stores[4];
layout(binding = 5) uniform utexture2D textures[4];
layout(binding = 6) buffer Out {
    uint results[]; /* 8 an invocation */
};
#ifdef OWN
#define INDEX(i) nonuniformEXT(i)
#else
#define INDEX(i) i
#endif
void main()
{
    uint i = gl_LocalInvocationID.x, at = i * 8u;
#ifdef OWN
    uint n = (i * 3u + i / 5u + shift) & 3u;
#else
    uint n = shift & 3u;
#endif
    results[at] = uniforms[INDEX(n)].word.y;
    results[at + 1u] = storages[INDEX(n)].words[i];
    results[at + 2u] = imageLoad(images[INDEX(n)], ivec2(i & 7u, i >> 3u)).x;
    results[at + 3u] = texelFetch(texels[INDEX(n)], int(i)).x;
    results[at + 4u] = imageLoad(stores[INDEX(n)], int(i)).x;
    results[at + 5u] = texelFetch(textures[INDEX(n)], ivec2(i & 7u, i >> 3u), 0).x;
#ifdef OWN /* glslang does not mark the length of a block as not uniform */
    results[at + 6u] = n;
#else
    results[at + 6u] = uint(storages[n].words.length());
#endif
    storages[INDEX(n)].words[64u + i] = i + 1u;
    imageStore(images[INDEX(n)], ivec2(i & 7u, 8u + (i >> 3u)), uvec4(i + 2u));
    imageStore(stores[INDEX(n)], int(64u + i), uvec4(i + 3u));
    results[at + 7u] = n;
}
