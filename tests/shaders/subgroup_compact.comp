#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "common.glsl"

// Words that pass a test move to the front, with one atomic for each subgroup.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint x = in_u(ID), base = 0u;
    bool keep = x % 3u == 0u;
    uvec4 mask = subgroupBallot(keep);
    if (subgroupElect())
        base = atomicAdd(second.words[0], subgroupBallotBitCount(mask));
    base = subgroupBroadcastFirst(base);
    if (keep)
        atomicAdd(result.words[base + subgroupBallotExclusiveBitCount(mask)], 1u);
    atomicAdd(second.words[1], keep ? x : 0u);
}
