#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#include "common.glsl"

// Reductions of floats, where some lanes are off.
// run 4 1 1 tolerance 1e-4 judge mesa
layout(local_size_x = 64) in;

void main()
{
    float x = in_f(ID);
    put(ID * 4u + 0u, subgroupMax(x));
    put(ID * 4u + 1u, subgroupAdd(x));
    if ((in_u(ID) & 3u) != 0u) {
        put(ID * 4u + 2u, subgroupMin(x));
        put(ID * 4u + 3u, subgroupInclusiveMul(x > 0.0 ? 1.0 : -1.0));
    }
}
