#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Inverse, determinant and transpose of 3x3.
// run 2 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

void main()
{
    mat3 m = mat3(in_v3(ID * 3u), in_v3(ID * 3u + 1u), in_v3(ID * 3u + 2u)) + mat3(9.0);
    mat3 n = transpose(inverse(m));
    put(ID * 4u + 0u, n[0]);
    put(ID * 4u + 1u, n[1]);
    put(ID * 4u + 2u, n[2]);
    put(ID * 4u + 3u, vec3(determinant(m), outerProduct(m[0], m[1])[2].xy));
}
