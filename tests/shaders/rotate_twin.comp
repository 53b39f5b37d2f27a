#version 460
// run 1 1 1 judge mesa
// What subgroup_rotate.comp must leave, by shuffles.
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#include "common.glsl"
layout(local_size_x = 128) in;
uint turned(uint x, uint by, uint size)
{
    uint lane = gl_SubgroupInvocationID;
    return subgroupShuffle(x, (lane & ~(size - 1u)) | ((lane + by) & (size - 1u)));
}
void main()
{
    uint n = ID * 4u, a = in_u(ID);
    put(n, turned(a, 1u, gl_SubgroupSize));
    put(n + 1u, turned(a, push.words[1], gl_SubgroupSize));
    put(n + 2u, turned(a, 3u, 8u));
    put(n + 3u, turned(a, push.words[0], 16u));
}
