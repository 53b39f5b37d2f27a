#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "common.glsl"

// Pairs of 16-bit integers, which a packed unit adds at once.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    u16vec2 a = unpackUint2x16(in_u(ID)), b = unpackUint2x16(in_u(ID + 1u)), c = unpackUint2x16(in_u(ID + 2u));
    put(ID * 4u + 0u, packUint2x16(a + b));
    put(ID * 4u + 1u, packUint2x16(a * b + c));
    put(ID * 4u + 2u, packUint2x16(min(a, b) - max(b, c)));
    put(ID * 4u + 3u, packUint2x16(a << (b & uint16_t(7)) | c >> uint16_t(9)));
}
