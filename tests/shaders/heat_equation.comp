#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Steps of diffusion in shared memory.
// run 1 1 1 tolerance 1e-4
layout(local_size_x = 256) in;

shared float heat[258];

void main()
{
    heat[LANE + 1u] = in_f(ID);
    if (LANE == 0u) {
        heat[0] = 0.0;
        heat[257] = 0.0;
    }
    for (uint i = 0u; i < 10u; i++) {
        barrier();
        float next = heat[LANE + 1u] + 0.25 * (heat[LANE] - 2.0 * heat[LANE + 1u] + heat[LANE + 2u]);
        barrier();
        heat[LANE + 1u] = next;
    }
    put(ID, heat[LANE + 1u]);
}
