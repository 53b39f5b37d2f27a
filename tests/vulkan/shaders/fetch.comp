#version 450
/* Every texel of a layer of a texture, as the shader sees it. */
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform SAMPLER source;
layout(binding = 1) buffer Loaded {
    TEXEL loaded[];
};
void main()
{
    ivec2 size = textureSize(source, 0), at = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(at, size)))
        loaded[at.y * size.x + at.x] = texelFetch(source, at, 0);
}
