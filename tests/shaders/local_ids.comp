#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// All numbers that an invocation has.
// run 2 3 2
layout(local_size_x = 4, local_size_y = 2, local_size_z = 2) in;

void main()
{
    uvec3 g = gl_GlobalInvocationID, size = gl_NumWorkGroups * gl_WorkGroupSize;
    uint at = (g.z * size.y + g.y) * size.x + g.x;
    put(at, gl_LocalInvocationIndex | gl_WorkGroupID.x << 8 | gl_WorkGroupID.y << 12 | gl_WorkGroupID.z << 16 | gl_LocalInvocationID.z << 20 | gl_NumWorkGroups.y << 24);
}
