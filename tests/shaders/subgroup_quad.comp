#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_quad : require
#include "common.glsl"

// Lanes of a quad.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint x = in_u(ID);
    put(ID * 4u + 0u, subgroupQuadBroadcast(x, 2u));
    put(ID * 4u + 1u, subgroupQuadSwapHorizontal(x));
    put(ID * 4u + 2u, subgroupQuadSwapVertical(x));
    put(ID * 4u + 3u, subgroupQuadSwapDiagonal(x));
}
