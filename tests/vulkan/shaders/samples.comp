#version 450
#extension GL_ARB_shader_texture_image_samples : require
/* Every sample of a picture into a buffer: sample by sample, row by row. */
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform SAMPLER source;
layout(binding = 1) buffer Loaded {
    TEXEL loaded[];
};
void main()
{
    ivec2 size = textureSize(source), at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, size)))
        return;
    for (int i = 0; i < textureSamples(source); i++)
        loaded[(i * size.y + at.y) * size.x + at.x] = texelFetch(source, at, i);
}
