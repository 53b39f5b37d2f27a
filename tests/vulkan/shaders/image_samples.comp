#version 460
/* Samples of a storage image: PASS 0 stores them, PASS 1 loads them. */
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const int PASS = 0;
layout(constant_id = 1) const int SAMPLES = 4;
layout(binding = 0, rgba8) uniform image2DMS image;
layout(binding = 1) buffer Out {
    uint texels[];
};
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (any(greaterThanEqual(at, imageSize(image))))
        return;
    for (int s = 0; s < SAMPLES; s++) {
        uint word = uint(at.x) * 7u + uint(at.y) * 1031u + uint(s) * 0x500301u;
        uint index = uint((at.y * imageSize(image).x + at.x) * SAMPLES + s);
        if (PASS == 0)
            imageStore(image, at, s, unpackUnorm4x8(word));
        else
            texels[index] = packUnorm4x8(imageLoad(image, at, s));
    }
}
