#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Nine coefficients in a direction.
// run 2 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

void main()
{
    vec3 n = normalize(in_v3(ID));
    float basis[9] = float[](0.282095, 0.488603 * n.y, 0.488603 * n.z, 0.488603 * n.x, 1.092548 * n.x * n.y, 1.092548 * n.y * n.z,
                             0.315392 * (3.0 * n.z * n.z - 1.0), 1.092548 * n.x * n.z, 0.546274 * (n.x * n.x - n.y * n.y));
    vec3 sum = vec3(0.0);
    for (uint i = 0u; i < 9u; i++)
        sum += basis[i] * in_v3(2000u + i);
    put(ID, sum);
}
