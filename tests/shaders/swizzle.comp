#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Components in any order.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    vec4 v = in_v4(ID);
    v.zx = v.yw;
    v.yw += v.wy;
    put(ID, v.wzyx + v.xxyy);
}
