#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// packHalf2x16 and back.
// run 4 1 1 judge mesa
layout(local_size_x = 64) in;

void main()
{
    // Exact in half: the rounding of packHalf2x16 is the implementation's.
    vec2 v = roundEven(in_v2(ID) * 64.0) / 64.0;
    uint packed = packHalf2x16(v);
    vec2 back = unpackHalf2x16(packed), other = unpackHalf2x16(in_u(ID) & 0x3fff3fffu);
    put(ID * 5u + 0u, packed);
    put(ID * 5u + 1u, back.x);
    put(ID * 5u + 2u, back.y);
    put(ID * 5u + 3u, other.x);
    put(ID * 5u + 4u, other.y);
}
