#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// LU of a 4x4 matrix in place, and a solution.
// run 1 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

void main()
{
    float a[4][4], x[4];
    for (uint i = 0u; i < 4u; i++) {
        for (uint j = 0u; j < 4u; j++)
            a[i][j] = in_f(ID * 16u + i * 4u + j) + (i == j ? 16.0 : 0.0);
        x[i] = in_f(ID + i);
    }
    for (uint k = 0u; k < 4u; k++) {
        for (uint i = k + 1u; i < 4u; i++) {
            a[i][k] /= a[k][k];
            for (uint j = k + 1u; j < 4u; j++)
                a[i][j] -= a[i][k] * a[k][j];
        }
    }
    for (uint i = 0u; i < 4u; i++)
        for (uint j = 0u; j < i; j++)
            x[i] -= a[i][j] * x[j];
    for (int i = 3; i >= 0; i--) {
        for (int j = i + 1; j < 4; j++)
            x[i] -= a[i][j] * x[j];
        x[i] /= a[i][i];
    }
    put(ID, vec4(x[0], x[1], x[2], x[3]));
}
