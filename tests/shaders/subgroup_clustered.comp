#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_clustered : require
#include "common.glsl"

// Reductions over clusters of lanes.
// run 4 1 1 judge mesa
layout(local_size_x = 64) in;

void main()
{
    uint x = in_u(ID) & 0xffffu;
    put(ID * 5u + 0u, subgroupClusteredAdd(x, 2u));
    put(ID * 5u + 1u, subgroupClusteredMax(x, 4u));
    put(ID * 5u + 2u, subgroupClusteredXor(x, 8u));
    put(ID * 5u + 3u, subgroupClusteredMin(x, 16u));
    put(ID * 5u + 4u, subgroupClusteredOr(x, 32u));
}
