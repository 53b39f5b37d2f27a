#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_vote : require
#include "common.glsl"

// all, any, allEqual.
// run 4 1 1 judge mesa
layout(local_size_x = 64) in;

void main()
{
    uint x = in_u(ID);
    put(ID * 4u + 0u, subgroupAll((x & 0xfffu) != 7u));
    put(ID * 4u + 1u, subgroupAny((x & 0x3fu) == 7u));
    put(ID * 4u + 2u, subgroupAllEqual(gl_WorkGroupID.x));
    put(ID * 4u + 3u, subgroupAllEqual(x));
}
