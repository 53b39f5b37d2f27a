#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// BT.601 in integers.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint c = in_u(ID);
    int r = int(c & 255u), g = int(c >> 8 & 255u), b = int(c >> 16 & 255u);
    int y = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16, u = ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128, v = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
    put(ID, uint(y) | uint(u) << 8 | uint(v) << 16);
}
