#version 450
layout(local_size_x = 64) in;
layout(binding = 0) uniform SAMPLER source;
layout(binding = 1, QUALIFIER) uniform IMAGE target;
layout(binding = 2) buffer Loaded {
    TEXEL loaded[];
};
void main()
{
    int i = int(gl_GlobalInvocationID.x), size = textureSize(source);
    if (i < size) {
        TEXEL fetched = texelFetch(source, i);
        loaded[i] = fetched;
        imageStore(target, size - 1 - i, fetched);
    } else if (i == size) {
        loaded[i] = TEXEL(imageSize(target));
    }
}
