#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Every comparison, also with NaN and infinity.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    float a = in_f(ID), b = in_f(ID ^ 1u);
    if ((ID & 7u) == 3u)
        a = uintBitsToFloat(0x7fc00000u + block.words[0].x);
    if ((ID & 7u) == 5u)
        b = uintBitsToFloat(0x7f800000u + block.words[0].x - 1u);
    uint mask = 0u;
    mask |= a < b ? 1u : 0u;
    mask |= a <= b ? 2u : 0u;
    mask |= a > b ? 4u : 0u;
    mask |= a >= b ? 8u : 0u;
    mask |= a == b ? 16u : 0u;
    mask |= a != b ? 32u : 0u;
    mask |= !(a < b) ? 64u : 0u;
    mask |= isnan(a) ? 128u : 0u;
    mask |= isinf(b) ? 256u : 0u;
    put(ID, mask);
}
