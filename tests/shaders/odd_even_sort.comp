#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Neighbours change places until all are in order.
// run 2 1 1
layout(local_size_x = 64) in;

shared uint keys[128];

void main()
{
    uint base = gl_WorkGroupID.x * 128u;
    keys[LANE] = in_u(base + LANE);
    keys[LANE + 64u] = in_u(base + LANE + 64u);
    for (uint round = 0u; round < 128u; round++) {
        barrier();
        uint i = LANE * 2u + (round & 1u);
        if (i + 1u < 128u && keys[i] > keys[i + 1u]) {
            uint t = keys[i];
            keys[i] = keys[i + 1u];
            keys[i + 1u] = t;
        }
    }
    barrier();
    put(base + LANE, keys[LANE]);
    put(base + LANE + 64u, keys[LANE + 64u]);
}
