#version 450
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint factor = 1;
layout(constant_id = 1) const bool sampled = false;
layout(set = 0, binding = 0) buffer Words
{
    uint words[];
};
layout(set = 0, binding = 1) uniform sampler2D picture;
layout(push_constant) uniform Push
{
    uint color; /* of script.frag */
    uint add;
};
void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint word = sampled ? packUnorm4x8(texelFetch(picture, ivec2(i % 16, i / 16), 0)) : words[i];
    words[i] = word * factor + add + i;
}
