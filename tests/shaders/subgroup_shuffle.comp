#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#include "common.glsl"

// Words from other lanes.
// run 4 1 1 judge mesa
layout(local_size_x = 64) in;

void main()
{
    uint x = in_u(ID), lane = gl_SubgroupInvocationID, lanes = min(gl_SubgroupSize, 64u); // that are there
    put(ID * 4u + 0u, subgroupShuffle(x, x & (lanes - 1u)));
    put(ID * 4u + 1u, subgroupShuffleXor(x, 5u));
    uint up = subgroupShuffleUp(x, 3u), down = subgroupShuffleDown(x, 2u);
    put(ID * 4u + 2u, lane >= 3u ? up : 0u);
    put(ID * 4u + 3u, lane + 2u < lanes ? down : 0u);
}
