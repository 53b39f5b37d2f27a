#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A constant table and an index that differs between lanes.
// run 4 1 1
layout(local_size_x = 64) in;

const uint squares[12] = uint[](0u, 1u, 4u, 9u, 16u, 25u, 36u, 49u, 64u, 81u, 100u, 121u);

void main()
{
    uint x = in_u(ID);
    put(ID, squares[x % 12u] * 1000u + squares[(x >> 8) % 12u]);
}
