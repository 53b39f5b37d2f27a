#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "common.glsl"

// Pairs of half floats.
// run 4 1 1 judge mesa
layout(local_size_x = 64) in;

void main()
{
    f16vec2 a = f16vec2(ivec2(in_u(ID) & 31u, in_u(ID) >> 8 & 31u)), b = f16vec2(ivec2(in_u(ID) >> 16 & 15u, in_u(ID) >> 24 & 15u)) * 0.25hf;
    f16vec2 sum = a + b, product = a * b, both = fma(a, b, -sum), low = min(a, b.yx);
    put(ID * 4u + 0u, packFloat2x16(sum));
    put(ID * 4u + 1u, packFloat2x16(product));
    put(ID * 4u + 2u, packFloat2x16(both));
    put(ID * 4u + 3u, packFloat2x16(low));
}
