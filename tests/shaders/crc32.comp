#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// CRC-32 bit by bit.
// run 1 1 1
layout(local_size_x = 64) in;

void main()
{
    uint crc = 0xffffffffu;
    for (uint i = 0u; i < 4u; i++) {
        crc ^= in_u(ID * 4u + i);
        for (uint bit = 0u; bit < 32u; bit++)
            crc = crc >> 1 ^ ((crc & 1u) != 0u ? 0xedb88320u : 0u);
    }
    put(ID, ~crc);
}
