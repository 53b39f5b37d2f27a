#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Elements before an index, of an array after other members; an index that is taken from a number.
// run 4 1 1
layout(local_size_x = 64) in;

struct Node {
    uint value, other, next, unused;
};
layout(set = 0, binding = 0, std430) readonly buffer List {
    uint head[4];
    Node nodes[];
} list;

void main()
{
    uint at = max(in_u(ID) & 63u, 1u);
    uint sum = list.nodes[at - 1u].value;
    for (int i = 0; i < 3 && at != 0u; i++) {
        sum = sum * 31u + list.nodes[at - 1u].other;
        at = list.nodes[at - 1u].next & 127u;
    }
    put(255u - ID, sum);
}
