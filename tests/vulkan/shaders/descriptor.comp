#version 450
/* One descriptor of every kind that compute has; each gives a word. */
layout(local_size_x = 1) in;
layout(binding = 0) uniform sampler only_sampler;
layout(binding = 1) uniform texture2D only_image;
layout(binding = 2) uniform sampler2D combined;
layout(binding = 3, r32ui) uniform uimage2D storage_image;
layout(binding = 4) uniform usamplerBuffer uniform_texels;
layout(binding = 5, r32ui) uniform uimageBuffer storage_texels;
layout(binding = 6) uniform Uniform {
    uvec4 uniform_word;
};
layout(binding = 7) buffer Storage {
    uint words[];
};
void main()
{
    words[0] = uint(textureLod(sampler2D(only_image, only_sampler), vec2(0.5), 0).x * 255 + 0.5);
    words[1] = uint(textureLod(combined, vec2(0.5), 0).y * 255 + 0.5);
    words[2] = imageLoad(storage_image, ivec2(1, 0)).x;
    words[3] = texelFetch(uniform_texels, 2).x;
    words[4] = imageLoad(storage_texels, 3).x;
    words[5] = uniform_word.z;
    imageStore(storage_image, ivec2(0, 0), uvec4(words[10]));
    imageStore(storage_texels, 1, uvec4(words[11]));
}
