#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A sum over a workgroup by halves.
// run 8 1 1
layout(local_size_x = 256) in;

shared uint partial[256];

void main()
{
    partial[LANE] = in_u(ID) & 0xffffu;
    barrier();
    for (uint step = 128u; step > 0u; step >>= 1) {
        if (LANE < step)
            partial[LANE] += partial[LANE + step];
        barrier();
    }
    if (LANE == 0u)
        put(gl_WorkGroupID.x, partial[0]);
}
