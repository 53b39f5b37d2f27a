#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Prefix sums up and down a tree (Blelloch).
// run 4 1 1
layout(local_size_x = 64) in;

shared uint tree[128];

void main()
{
    tree[LANE * 2u] = in_u(ID * 2u) & 1023u;
    tree[LANE * 2u + 1u] = in_u(ID * 2u + 1u) & 1023u;
    uint offset = 1u;
    for (uint count = 64u; count > 0u; count >>= 1) {
        barrier();
        if (LANE < count) {
            uint a = offset * (2u * LANE + 1u) - 1u, b = offset * (2u * LANE + 2u) - 1u;
            tree[b] += tree[a];
        }
        offset *= 2u;
    }
    if (LANE == 0u)
        tree[127] = 0u;
    for (uint count = 1u; count < 128u; count *= 2u) {
        offset >>= 1;
        barrier();
        if (LANE < count) {
            uint a = offset * (2u * LANE + 1u) - 1u, b = offset * (2u * LANE + 2u) - 1u;
            uint t = tree[a];
            tree[a] = tree[b];
            tree[b] += t;
        }
    }
    barrier();
    put(ID * 2u, tree[LANE * 2u]);
    put(ID * 2u + 1u, tree[LANE * 2u + 1u]);
}
