#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#include "common.glsl"

// Who am I in my subgroup.
// run 2 1 1 judge mesa
layout(local_size_x = 64) in;

void main()
{
    put(ID * 4u + 0u, gl_SubgroupSize);
    put(ID * 4u + 1u, gl_SubgroupInvocationID);
    put(ID * 4u + 2u, gl_SubgroupID);
    put(ID * 4u + 3u, gl_NumSubgroups * 10u + (subgroupElect() ? 1u : 0u));
}
