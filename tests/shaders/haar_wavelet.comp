#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Three levels of Haar's wavelet.
// run 4 1 1 tolerance 1e-5
layout(local_size_x = 64) in;

void main()
{
    float v[8], t[8];
    for (uint i = 0u; i < 8u; i++)
        v[i] = in_f(ID * 8u + i);
    for (uint count = 8u; count > 1u; count /= 2u) {
        for (uint i = 0u; i < count / 2u; i++) {
            t[i] = (v[2u * i] + v[2u * i + 1u]) * 0.5;
            t[count / 2u + i] = (v[2u * i] - v[2u * i + 1u]) * 0.5;
        }
        for (uint i = 0u; i < count; i++)
            v[i] = t[i];
    }
    for (uint i = 0u; i < 8u; i++)
        put(ID * 8u + i, v[i]);
}
