#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// The uniform block by constant, uniform and divergent index.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    vec4 a = block.floats[2], b = block.floats[gl_WorkGroupID.x + 1u], c = block.floats[in_u(ID) % 12u];
    put(ID, a + b.yxwz + c);
}
