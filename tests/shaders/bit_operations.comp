#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Counting, finding, reversing, cutting and pasting bits.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint a = in_u(ID) >> (ID & 31u);
    int b = in_i(ID + 7u) >> (ID & 31u);
    int offset = int(ID % 20u), bits = int(ID % 12u);
    put(ID * 8u + 0u, bitCount(a));
    put(ID * 8u + 1u, findLSB(a));
    put(ID * 8u + 2u, findMSB(a));
    put(ID * 8u + 3u, findMSB(b));
    put(ID * 8u + 4u, bitfieldReverse(a));
    put(ID * 8u + 5u, bitfieldExtract(a, offset, bits));
    put(ID * 8u + 6u, bitfieldExtract(b, offset, bits));
    put(ID * 8u + 7u, bitfieldInsert(a, uint(b), offset, bits));
}
