#version 450
#extension GL_EXT_samplerless_texture_functions : require
/* What is not there reads as zero. */
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out {
    uint results[];
};
layout(binding = 1) uniform Uniform {
    uvec4 uniform_word;
};
layout(binding = 2) buffer Storage {
    uint words[];
};
layout(binding = 3) uniform utexture2D image;
layout(binding = 4, r32ui) uniform uimage2D storage_image;
layout(binding = 5) uniform utextureBuffer uniform_texels;
layout(binding = 6, r32ui) uniform uimageBuffer storage_texels;
void main()
{
    results[0] = uniform_word.x;
    results[1] = words[3];
    results[2] = texelFetch(image, ivec2(0), 0).x;
    results[3] = imageLoad(storage_image, ivec2(0)).x;
    results[4] = texelFetch(uniform_texels, 0).x;
    results[5] = imageLoad(storage_texels, 0).x;
    results[6] = uint(words.length());
    results[7] = uint(textureSize(uniform_texels));
    words[1] = 5;
    imageStore(storage_image, ivec2(0), uvec4(6));
    imageStore(storage_texels, 0, uvec4(7));
    results[8] = 1234;
}
