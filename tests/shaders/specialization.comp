#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Constants that a pipeline could set, and the size of the group from one.
// run 4 1 1
layout(constant_id = 0) const uint factor = 7u;
layout(constant_id = 1) const bool invert = false;
layout(constant_id = 2) const float scale = 1.5;
const uint count = factor * 2u - 4u;
layout(local_size_x = 64) in;

void main()
{
    uint table[count], sum = 0u;
    for (uint i = 0u; i < count; i++)
        table[i] = in_u(ID + i) * factor;
    for (uint i = 0u; i < count; i++)
        sum ^= table[(i * 3u) % count] >> i;
    put(ID, invert ? ~sum : sum + uint(scale * 4.0));
}
