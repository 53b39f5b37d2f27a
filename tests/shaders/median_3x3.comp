#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// The median of nine by exchanges.
// run 2 2 1
layout(local_size_x = 8, local_size_y = 8) in;

#define ORDER(a, b) { uint low = min(a, b); b = max(a, b); a = low; }

void main()
{
    uvec2 p = gl_GlobalInvocationID.xy;
    uint v[9];
    for (uint i = 0u; i < 9u; i++)
        v[i] = in_u((p.y + i / 3u) * 18u + p.x + i % 3u) & 0xffffu;
    ORDER(v[1], v[2]) ORDER(v[4], v[5]) ORDER(v[7], v[8]) ORDER(v[0], v[1]) ORDER(v[3], v[4]) ORDER(v[6], v[7])
    ORDER(v[1], v[2]) ORDER(v[4], v[5]) ORDER(v[7], v[8]) ORDER(v[0], v[3]) ORDER(v[5], v[8]) ORDER(v[4], v[7])
    ORDER(v[3], v[6]) ORDER(v[1], v[4]) ORDER(v[2], v[5]) ORDER(v[4], v[7]) ORDER(v[4], v[2]) ORDER(v[6], v[4])
    ORDER(v[4], v[2])
    put(p.y * 16u + p.x, v[4]);
}
