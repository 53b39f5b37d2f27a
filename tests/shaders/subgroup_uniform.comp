#version 460
// run 2 1 1 judge mesa
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_subgroup_uniform_control_flow : require
#extension GL_KHR_shader_subgroup_vote : require
// A shader whose subgroups are promised to come together again.
#include "common.glsl"
layout(local_size_x = 64) in;
void main()
[[subgroup_uniform_control_flow]]
{
    uint a = in_u(ID);
    if (a % 3u == 1u)
        a *= 5u;
    put(ID, subgroupAll(a != 1u) ? a : 0u);
}
