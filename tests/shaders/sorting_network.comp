#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Eight floats through a network of 19 comparators.
// run 4 1 1
layout(local_size_x = 64) in;

#define ORDER(i, j) { float low = min(v[i], v[j]), high = max(v[i], v[j]); v[i] = low; v[j] = high; }

void main()
{
    float v[8];
    for (uint i = 0u; i < 8u; i++)
        v[i] = in_f(ID * 8u + i);
    ORDER(0, 1) ORDER(2, 3) ORDER(4, 5) ORDER(6, 7)
    ORDER(0, 2) ORDER(1, 3) ORDER(4, 6) ORDER(5, 7)
    ORDER(1, 2) ORDER(5, 6) ORDER(0, 4) ORDER(3, 7)
    ORDER(1, 5) ORDER(2, 6)
    ORDER(1, 4) ORDER(3, 6)
    ORDER(2, 4) ORDER(3, 5)
    ORDER(3, 4)
    for (uint i = 0u; i < 8u; i++)
        put(ID * 8u + i, v[i]);
}
