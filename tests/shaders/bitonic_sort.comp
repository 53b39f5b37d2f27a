#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// 256 words sorted in shared memory.
// run 4 1 1
layout(local_size_x = 128) in;

shared uint keys[256];

void main()
{
    uint base = gl_WorkGroupID.x * 256u;
    keys[LANE] = in_u(base + LANE);
    keys[LANE + 128u] = in_u(base + LANE + 128u);
    for (uint size = 2u; size <= 256u; size *= 2u) {
        for (uint stride = size / 2u; stride > 0u; stride /= 2u) {
            barrier();
            uint i = 2u * LANE - (LANE & (stride - 1u)), j = i + stride;
            bool up = (i & size) == 0u;
            uint a = keys[i], b = keys[j];
            if ((a > b) == up) {
                keys[i] = b;
                keys[j] = a;
            }
        }
    }
    barrier();
    put(base + LANE, keys[LANE]);
    put(base + LANE + 128u, keys[LANE + 128u]);
}
