#version 450
#extension GL_EXT_nonuniform_qualifier : require
/* An array of images; KIND 0: a constant index, 1: the same for all, 2: one of their own for invocations,
 * 3: only three of them. */
layout(local_size_x = 64) in;
#ifdef SEPARATE /* images and samplers as variables of their own on a binding that has both */
layout(binding = 0) uniform texture2D textures[8];
layout(binding = 0) uniform sampler samplers[8];
#define IMAGE(n) sampler2D(textures[n], samplers[n])
#else
layout(binding = 0) uniform sampler2D images[8];
#define IMAGE(n) images[n]
#endif
layout(binding = 1) buffer Result {
    vec4 results[];
};
layout(push_constant) uniform Push {
    int shift;
};
void main()
{
    uint i = gl_LocalInvocationID.x;
#if KIND == 0
    if (i < 8) {
        results[0] = textureLod(IMAGE(0), vec2(0.5), 0);
        results[3] = textureLod(IMAGE(3), vec2(0.5), 0);
        results[7] = textureLod(IMAGE(7), vec2(0.5), 0);
    }
#elif KIND == 1
    for (int k = 0; k < 8; k++) {
        if (i == 0)
            results[k] = textureLod(IMAGE((k + shift) & 7), vec2(0.5), 0);
    }
#elif KIND == 3
    const int bound[3] = int[3](1, 3, 6);
    if (i < 8)
        results[i] = textureLod(IMAGE(nonuniformEXT(bound[i % 3u])), vec2(0.5), 0);
#else
    if (i < 8)
        results[i] = textureLod(IMAGE(nonuniformEXT((i * 5u + uint(shift)) & 7u)), vec2(0.5), 0);
#endif
}
