#version 460
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
/* Bytes and halves of push constants and of a uniform block, by constants and by an index: OWN of each invocation, or the same for all. */
layout(local_size_x = 16) in;
layout(push_constant) uniform Push {
    uint8_t bytes[16];
    int16_t shorts[16];
    float16_t halves[16];
} push;
layout(binding = 0) uniform Block { /* 16 bytes for each element of an array */
    i8vec4 bytes[16];
    u16vec2 shorts[16];
    f16vec4 halves[16];
} block;
layout(binding = 1) buffer Out {
    uint results[]; /* 8 an invocation */
};
void give(uint i)
{
    results[i * 8 + 0] = uint(push.bytes[i]) + 256u * uint(push.bytes[3]);
    results[i * 8 + 1] = uint(int(push.shorts[i]) + 3 * int(push.shorts[5]));
    results[i * 8 + 2] = floatBitsToUint(float(push.halves[i]) + float(push.halves[7]));
    results[i * 8 + 3] = uint(int(block.bytes[i].z) - int(block.bytes[i].x));
    results[i * 8 + 4] = uint(block.shorts[i].y) * 65536u + uint(block.shorts[15u - i].x);
    results[i * 8 + 5] = floatBitsToUint(float(block.halves[i].w));
    results[i * 8 + 6] = floatBitsToUint(float(block.halves[2].y));
    results[i * 8 + 7] = uint(int(int8_t(block.bytes[9].w) * int8_t(push.bytes[i])));
}
void main()
{
#ifdef OWN
    give(gl_LocalInvocationID.x);
#else
    for (uint i = 0u; i < 16u; i++)
        if (gl_LocalInvocationID.x == 15u - i)
            give(i);
#endif
}
