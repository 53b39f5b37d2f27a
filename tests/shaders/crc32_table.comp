#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// CRC-32 with a table of sixteen.
// run 4 1 1
layout(local_size_x = 64) in;

const uint nibbles[16] = uint[](0x00000000u, 0x1db71064u, 0x3b6e20c8u, 0x26d930acu, 0x76dc4190u, 0x6b6b51f4u, 0x4db26158u, 0x5005713cu, 0xedb88320u,
                                0xf00f9344u, 0xd6d6a3e8u, 0xcb61b38cu, 0x9b64c2b0u, 0x86d3d2d4u, 0xa00ae278u, 0xbdbdf21cu);

void main()
{
    uint crc = 0xffffffffu;
    for (uint i = 0u; i < 4u; i++) {
        crc ^= in_u(ID * 4u + i);
        for (uint n = 0u; n < 8u; n++)
            crc = crc >> 4 ^ nibbles[crc & 15u];
    }
    put(ID, ~crc);
}
