#version 450
/* One image by samplers that no descriptor is in memory of. */
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform texture2D image;
layout(set = 0, binding = 1) buffer Out {
    uint results[];
};
layout(set = 1, binding = 0) uniform sampler nearest;
layout(set = 1, binding = 1) uniform sampler linear;
layout(set = 1, binding = 3) uniform sampler bordered[1];
#ifdef INDEXED
layout(push_constant) uniform Push {
    uint index; /* 0, which the compiler does not know */
};
#else
const uint index = 0;
#endif
void main()
{
    results[0] = uint(textureLod(sampler2D(image, nearest), vec2(0.375, 0.5), 0).x * 255 + 0.5);
    results[1] = uint(textureLod(sampler2D(image, linear), vec2(0.375, 0.5), 0).x * 255 + 0.5);
    results[2] = uint(textureLod(sampler2D(image, bordered[index]), vec2(-0.5, 0.5), 0).x * 255 + 0.5);
    results[3] = uint(textureLod(sampler2D(image, bordered[0]), vec2(1.5, 0.5), 0).w * 255 + 0.5);
}
