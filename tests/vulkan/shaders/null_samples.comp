#version 450
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_ARB_shader_texture_image_samples : require
/* An image that is not there has no texels, and no samples. */
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out {
    uint results[];
};
layout(binding = 1) uniform utexture2DMS image;
layout(binding = 2) uniform utexture2DMSArray layers;
void main()
{
    results[0] = uint(textureSamples(image));
    results[1] = uint(textureSamples(layers));
    results[2] = uint(textureSize(image).x);
    results[3] = uint(textureSize(layers).z);
    results[4] = texelFetch(image, ivec2(3, 0), 0).x;
    results[5] = texelFetch(layers, ivec3(0, 3, 5), 1).x;
    results[6] = 1234;
}
