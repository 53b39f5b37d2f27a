#version 460
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
/* Atomics on words of 64 bits in shared memory; each word knows one operation. */
layout(local_size_x = 64) in;
layout(binding = 0) buffer In {
    uint64_t values[];
};
layout(binding = 1) buffer Out {
    uint64_t results[]; /* 8 a workgroup */
};
shared uint64_t words[8];
void main()
{
    uint i = gl_LocalInvocationID.x;
    uint64_t x = values[gl_GlobalInvocationID.x];
    if (i < 8u)
        words[i] = i == 1u || i == 3u ? ~0ul : 0ul;
    barrier();
    atomicAdd(words[0], x);
    atomicMin(words[1], x);
    atomicMax(words[2], x);
    atomicAnd(words[3], x | 0xff00000000000000ul);
    atomicOr(words[4], x & 0x0f0f0f0f0f0f0f0ful);
    atomicXor(words[5], x);
    atomicExchange(words[6], 0x1234567890abcdeful);
    if (i == 9u)
        atomicCompSwap(words[7], 0ul, x);
    barrier();
    if (i < 8u)
        results[gl_WorkGroupID.x * 8u + i] = words[i];
}
