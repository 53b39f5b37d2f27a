#version 460
#extension GL_EXT_shared_memory_block : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_scalar_block_layout : require
/* Blocks of shared memory lie upon each other: what one calls words, others call bytes, shorts or vectors of three. */
layout(local_size_x = 64) in;
layout(std430) shared Words { uint words[96]; };
layout(std430) shared Bytes { uint8_t bytes[384]; };
layout(std430) shared Shorts { layout(offset = 4) uint16_t shorts[190]; };
layout(scalar) shared Vectors { vec3 vectors[32]; };
layout(binding = 0) buffer Out {
    uint results[]; /* 4 an invocation */
};
void main()
{
    uint i = gl_LocalInvocationID.x;
    for (uint n = i; n < 96u; n += 64u)
        words[n] = n * 0x01030507u;
    barrier();
    results[i * 4u] = uint(bytes[i * 5u + 3u]);
    results[i * 4u + 1u] = uint(shorts[i * 2u + 1u]);
    results[i * 4u + 2u] = floatBitsToUint(vectors[i & 31u].z);
    barrier();
    bytes[i * 4u + 1u] = uint8_t(i * 7u);
    barrier();
    results[i * 4u + 3u] = words[i];
}
