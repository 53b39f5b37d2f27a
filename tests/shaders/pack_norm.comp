#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Packing into normalised formats and back.
// run 4 1 1 tolerance 1e-5
layout(local_size_x = 64) in;

void main()
{
    vec4 v = in_v4(ID) * 0.3;
    put(ID * 8u + 0u, packUnorm4x8(v));
    put(ID * 8u + 1u, packSnorm4x8(v));
    put(ID * 8u + 2u, packUnorm2x16(v.xy));
    put(ID * 8u + 3u, packSnorm2x16(v.zw));
    vec4 a = unpackUnorm4x8(in_u(ID)), b = unpackSnorm4x8(in_u(ID + 1u));
    vec2 c = unpackUnorm2x16(in_u(ID + 2u)), d = unpackSnorm2x16(in_u(ID + 3u));
    put(ID * 8u + 4u, a.x + a.y * 2.0 + a.z * 3.0 + a.w);
    put(ID * 8u + 5u, b.x + b.y * 2.0 + b.z * 3.0 + b.w);
    put(ID * 8u + 6u, c.x - c.y);
    put(ID * 8u + 7u, d.x - d.y);
}
