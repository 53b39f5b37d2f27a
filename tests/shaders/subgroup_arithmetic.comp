#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "common.glsl"

// Reductions and scans of integers.
// run 4 1 1 judge mesa
layout(local_size_x = 64) in;

void main()
{
    uint x = in_u(ID) & 0xffffffu;
    int y = in_i(ID + 5u) >> 4;
    put(ID * 8u + 0u, subgroupAdd(x));
    put(ID * 8u + 1u, subgroupMin(y));
    put(ID * 8u + 2u, subgroupMax(x));
    put(ID * 8u + 3u, subgroupXor(x));
    put(ID * 8u + 4u, subgroupInclusiveAdd(x));
    put(ID * 8u + 5u, subgroupExclusiveAdd(x));
    put(ID * 8u + 6u, subgroupInclusiveMax(y));
    put(ID * 8u + 7u, subgroupExclusiveMin(y));
}
