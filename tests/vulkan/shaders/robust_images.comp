#version 460
#extension GL_EXT_samplerless_texture_functions : require
/* Places in and out of images; the image may be none. */
layout(local_size_x = 64) in;
layout(binding = 0, rgba32ui) uniform uimage2DArray image;
layout(binding = 1) uniform utexture2DArray texture_;
layout(binding = 2) uniform utextureBuffer texels;
layout(binding = 3) uniform Uniform {
    uvec4 uniform_words[16];
};
layout(binding = 4) buffer Storage {
    uint storage_words[];
};
layout(binding = 5) buffer Out {
    uvec4 results[]; /* 5 an invocation */
};
void main()
{
    uint i = gl_LocalInvocationID.x;
    ivec3 at = ivec3(int(i & 3u) * 3 - 2, int(i >> 2u & 3u) * 3 - 2, int(i >> 4u) - 1);
    results[i * 5u] = imageLoad(image, at);
    results[i * 5u + 1u] = texelFetch(texture_, at, 0);
    results[i * 5u + 2u] = texelFetch(texels, int(i) - 8);
    results[i * 5u + 3u] = uniform_words[i & 15u];
    results[i * 5u + 4u] = uvec4(storage_words[i], storage_words.length(), imageSize(image).xy);
    storage_words[i] = i + 1u;
    bool outside = any(lessThan(at, ivec3(0))) || any(greaterThanEqual(at, ivec3(4, 4, 2)));
    imageStore(image, at, uvec4(outside ? 0xbad : 77u + i));
}
