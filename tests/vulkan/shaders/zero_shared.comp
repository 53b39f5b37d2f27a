#version 460
#extension GL_EXT_null_initializer : require
/* Shared memory that begins with zeros, whatever a workgroup before left there; DIRT leaves something everywhere. */
layout(local_size_x = 64) in;
layout(binding = 0) buffer Out {
    uint results[];
};
#ifdef DIRT
shared uint dirt[4096];
void main()
{
    uint i = gl_LocalInvocationID.x;
    for (uint n = i; n < 4096u; n += 64u)
        dirt[n] = 0xdeadbeefu + n;
    barrier();
    results[gl_WorkGroupID.x * 64u + i] = dirt[(i * 37u) & 4095u];
}
#else
struct item {
    uvec3 words;
    float value;
};
shared uint words[1021] = {};
shared item items[64] = {};
void main()
{
    uint i = gl_LocalInvocationID.x, sum = 0u;
    for (uint n = i; n < 1021u; n += 64u)
        sum |= words[n];
    sum |= items[i].words.x | items[i].words.y | items[i].words.z | floatBitsToUint(items[i].value);
    barrier();
    words[i] = i + 1u;
    barrier();
    results[gl_WorkGroupID.x * 64u + i] = sum == 0u ? words[63u - i] : 0xffffffffu;
}
#endif
