#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "common.glsl"

// Half floats: exact operations on small numbers.
// run 4 1 1 judge mesa
layout(local_size_x = 64) in;

void main()
{
    float16_t a = float16_t(int(in_u(ID) & 31u) - 16), b = float16_t(int(in_u(ID + 1u) & 15u)) * 0.5hf;
    put(ID * 6u + 0u, float(a + b));
    put(ID * 6u + 1u, float(a * b));
    put(ID * 6u + 2u, float(fma(a, b, 3.0hf)));
    put(ID * 6u + 3u, float(max(a, b)) + float(abs(a)));
    put(ID * 6u + 4u, float(floor(a * 0.25hf)));
    put(ID * 6u + 5u, a < b);
}
