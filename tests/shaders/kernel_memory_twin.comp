#version 460
// run 1 1 1
// What kernel_memory.spvasm must leave.
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"
layout(local_size_x = 64) in;
void main()
{
    put(ID, in_u(ID + 64u) * 2u);
    put(ID + 64u, in_u(ID));
}
