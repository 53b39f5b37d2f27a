#version 460
// run 2 2 1
#extension GL_GOOGLE_include_directive : require
// A workgroup's size by specialization constants, and what says it.
#include "common.glsl"
layout(local_size_x_id = 0, local_size_y_id = 1) in;
layout(local_size_x = 8, local_size_y = 4, local_size_z = 1) in;
void main()
{
    uint i = gl_LocalInvocationIndex + (gl_WorkGroupID.x + gl_WorkGroupID.y * 2u) * gl_WorkGroupSize.x * gl_WorkGroupSize.y;
    put(i, gl_WorkGroupSize.x + gl_WorkGroupSize.y * 100u + gl_WorkGroupSize.z * 10000u + gl_LocalInvocationID.y * 1000000u);
}
