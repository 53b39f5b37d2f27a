#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "common.glsl"

// 16-bit integers that wrap.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    int16_t a = int16_t(in_i(ID)), b = int16_t(in_i(ID + 1u));
    uint16_t c = uint16_t(in_u(ID + 2u)), d = uint16_t((in_u(ID + 3u) & 0xffu) + 1u);
    put(ID * 6u + 0u, int(a + b));
    put(ID * 6u + 1u, int(a * b));
    put(ID * 6u + 2u, uint(c / d) << 16 | uint(c % d));
    put(ID * 6u + 3u, int(a >> int16_t(3)) + int(max(a, b)));
    put(ID * 6u + 4u, uint(uint16_t(c << uint16_t(5)) ^ c));
    put(ID * 6u + 5u, a < b);
}
