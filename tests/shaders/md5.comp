#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// MD5 of a block of 64 bytes.
// run 1 1 1
layout(local_size_x = 64) in;

const uint shifts[16] = uint[](7u, 12u, 17u, 22u, 5u, 9u, 14u, 20u, 4u, 11u, 16u, 23u, 6u, 10u, 15u, 21u);

void main()
{
    uint m[16];
    for (uint i = 0u; i < 16u; i++)
        m[i] = in_u(ID * 16u + i);
    uint a = 0x67452301u, b = 0xefcdab89u, c = 0x98badcfeu, d = 0x10325476u;
    for (uint i = 0u; i < 64u; i++) {
        uint f, g;
        switch (i / 16u) {
        case 0u: f = (b & c) | (~b & d); g = i; break;
        case 1u: f = (d & b) | (~d & c); g = 5u * i + 1u; break;
        case 2u: f = b ^ c ^ d; g = 3u * i + 5u; break;
        default: f = c ^ (b | ~d); g = 7u * i; break;
        }
        // Not the sines of RFC 1321 but as good a constant for a test.
        f += a + (i * 0x9e3779b9u ^ 0xd76aa478u) + m[g & 15u];
        uint n = shifts[i / 16u * 4u + (i & 3u)];
        a = d;
        d = c;
        c = b;
        b += f << n | f >> (32u - n);
    }
    put(ID, uvec4(a + 0x67452301u, b + 0xefcdab89u, c + 0x98badcfeu, d + 0x10325476u));
}
