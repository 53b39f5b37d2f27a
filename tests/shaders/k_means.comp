#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Points to the nearest of eight centres; counts by atomics.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    vec2 p = roundEven(in_v2(ID) * 16.0);
    uint best = 0u;
    float nearest = 1e9;
    for (uint i = 0u; i < 8u; i++) {
        vec2 way = p - roundEven(in_v2(1000u + i) * 16.0);
        float d = dot(way, way);
        if (d < nearest) {
            nearest = d;
            best = i;
        }
    }
    put(ID, best);
    atomicAdd(second.words[best], 1u);
    atomicAdd(second.words[8u + best], uint(int(p.x)));
    atomicAdd(second.words[16u + best], uint(int(p.y)));
}
