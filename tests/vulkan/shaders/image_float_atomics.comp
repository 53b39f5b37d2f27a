#version 460
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
/* Four invocations a texel. OP 0: the least, 1: the greatest, 2: an exchange, which must lose nothing. */
layout(local_size_x = 64) in;
layout(constant_id = 0) const int OP = 0;
layout(binding = 0, r32f) uniform image2D image;
layout(binding = 1) buffer In {
    float values[];
};
layout(binding = 2) buffer Out {
    float before[];
};
void main()
{
    uint i = gl_GlobalInvocationID.x;
    ivec2 at = ivec2(i & 7u, i >> 3u & 7u);
    float value = values[i];
    if (OP == 0)
        before[i] = imageAtomicMin(image, at, value);
    else if (OP == 1)
        before[i] = imageAtomicMax(image, at, value);
    else
        before[i] = imageAtomicExchange(image, at, value);
}
