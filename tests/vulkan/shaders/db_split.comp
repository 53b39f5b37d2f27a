#version 450
/* Images in one set, samplers in another; both by an index that is the same for all. */
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform texture2D images[2];
layout(set = 0, binding = 1) buffer Out {
    uint results[];
};
layout(set = 1, binding = 0) uniform sampler samplers[2];
layout(push_constant) uniform Push {
    uint shift;
};
void main()
{
    for (uint i = 0; i < 4; i++)
        results[i] = uint(textureLod(sampler2D(images[(i / 2u + shift / 2u) & 1u], samplers[(i + shift) & 1u]), vec2(0.375, 0.5), 0).x * 255 + 0.5);
    results[4] = uint(textureLod(sampler2D(images[1], samplers[0]), vec2(0.375, 0.5), 0).x * 255 + 0.5);
    results[5] = uint(textureLod(sampler2D(images[0], samplers[1]), vec2(0.375, 0.5), 0).x * 255 + 0.5);
}
