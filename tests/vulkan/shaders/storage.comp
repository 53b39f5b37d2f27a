#version 450
/* Load a texel, store it mirrored. QUALIFIER is the format, IMAGE the image type, TEXEL what it holds. */
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0, QUALIFIER) uniform readonly IMAGE source;
layout(binding = 1, QUALIFIER) uniform writeonly IMAGE target;
layout(binding = 2) buffer Loaded {
    TEXEL loaded[];
};
void main()
{
    ivec2 size = imageSize(source), at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, size)))
        return;
    TEXEL texel = imageLoad(source, at);
    loaded[at.y * size.x + at.x] = texel;
    imageStore(target, size - 1 - at, texel);
}
