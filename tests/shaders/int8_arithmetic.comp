#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "common.glsl"

// 8-bit integers that wrap.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    int8_t a = int8_t(in_i(ID)), b = int8_t(in_i(ID + 1u));
    uint8_t c = uint8_t(in_u(ID + 2u)), d = uint8_t(in_u(ID + 3u) | 1u);
    put(ID * 6u + 0u, int(int8_t(a + b)));
    put(ID * 6u + 1u, int(int8_t(a * b)));
    put(ID * 6u + 2u, uint(c / d) << 8 | uint(c % d));
    put(ID * 6u + 3u, int(min(a, b)));
    put(ID * 6u + 4u, uint(uint8_t(c << uint8_t(3)) ^ d));
    put(ID * 6u + 5u, a < b);
}
