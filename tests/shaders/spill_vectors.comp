#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// More values alive at once than there are vector registers, in a program without private memory: 320 words read before a barrier and used after it.
// run 1 1 1
layout(local_size_x = 64) in;

shared uint turn[64];

uvec4 four(uint n)
{
    uint i = ID * 11u + n;
    return uvec4(in_u(i & 1023u), in_u(i * 3u & 1023u), in_u(i * 5u & 1023u), in_u(i * 7u & 1023u));
}

void mix(inout uint m, uvec4 v)
{
    m = (m << 5 | m >> 27) ^ (v.x + v.y * 3u + (v.z ^ v.w));
}

void main()
{
    uvec4 a0 = four(0u), a1 = four(1u), a2 = four(2u), a3 = four(3u), a4 = four(4u), a5 = four(5u), a6 = four(6u), a7 = four(7u), a8 = four(8u), a9 = four(9u);
    uvec4 b0 = four(10u), b1 = four(11u), b2 = four(12u), b3 = four(13u), b4 = four(14u), b5 = four(15u), b6 = four(16u), b7 = four(17u), b8 = four(18u), b9 = four(19u);
    uvec4 c0 = four(20u), c1 = four(21u), c2 = four(22u), c3 = four(23u), c4 = four(24u), c5 = four(25u), c6 = four(26u), c7 = four(27u), c8 = four(28u), c9 = four(29u);
    uvec4 d0 = four(30u), d1 = four(31u), d2 = four(32u), d3 = four(33u), d4 = four(34u), d5 = four(35u), d6 = four(36u), d7 = four(37u), d8 = four(38u), d9 = four(39u);
    uvec4 e0 = four(40u), e1 = four(41u), e2 = four(42u), e3 = four(43u), e4 = four(44u), e5 = four(45u), e6 = four(46u), e7 = four(47u), e8 = four(48u), e9 = four(49u);
    uvec4 f0 = four(50u), f1 = four(51u), f2 = four(52u), f3 = four(53u), f4 = four(54u), f5 = four(55u), f6 = four(56u), f7 = four(57u), f8 = four(58u), f9 = four(59u);
    uvec4 g0 = four(60u), g1 = four(61u), g2 = four(62u), g3 = four(63u), g4 = four(64u), g5 = four(65u), g6 = four(66u), g7 = four(67u), g8 = four(68u), g9 = four(69u);
    uvec4 h0 = four(70u), h1 = four(71u), h2 = four(72u), h3 = four(73u), h4 = four(74u), h5 = four(75u), h6 = four(76u), h7 = four(77u), h8 = four(78u), h9 = four(79u);
    turn[LANE] = a0.x ^ h9.w;
    barrier();
    uint m = turn[63u - LANE];
    mix(m, a0); mix(m, a1); mix(m, a2); mix(m, a3); mix(m, a4); mix(m, a5); mix(m, a6); mix(m, a7); mix(m, a8); mix(m, a9);
    mix(m, b0); mix(m, b1); mix(m, b2); mix(m, b3); mix(m, b4); mix(m, b5); mix(m, b6); mix(m, b7); mix(m, b8); mix(m, b9);
    mix(m, c0); mix(m, c1); mix(m, c2); mix(m, c3); mix(m, c4); mix(m, c5); mix(m, c6); mix(m, c7); mix(m, c8); mix(m, c9);
    mix(m, d0); mix(m, d1); mix(m, d2); mix(m, d3); mix(m, d4); mix(m, d5); mix(m, d6); mix(m, d7); mix(m, d8); mix(m, d9);
    mix(m, e0); mix(m, e1); mix(m, e2); mix(m, e3); mix(m, e4); mix(m, e5); mix(m, e6); mix(m, e7); mix(m, e8); mix(m, e9);
    mix(m, f0); mix(m, f1); mix(m, f2); mix(m, f3); mix(m, f4); mix(m, f5); mix(m, f6); mix(m, f7); mix(m, f8); mix(m, f9);
    mix(m, g0); mix(m, g1); mix(m, g2); mix(m, g3); mix(m, g4); mix(m, g5); mix(m, g6); mix(m, g7); mix(m, g8); mix(m, g9);
    mix(m, h0); mix(m, h1); mix(m, h2); mix(m, h3); mix(m, h4); mix(m, h5); mix(m, h6); mix(m, h7); mix(m, h8); mix(m, h9);
    m += a0.w * (a0.x | 1u) + a1.w * (a1.x | 1u) + a2.w * (a2.x | 1u) + a3.w * (a3.x | 1u) + a4.w * (a4.x | 1u) + a5.w * (a5.x | 1u) + a6.w * (a6.x | 1u) + a7.w * (a7.x | 1u) + a8.w * (a8.x | 1u) + a9.w * (a9.x | 1u);
    m += b0.w * (b0.x | 1u) + b1.w * (b1.x | 1u) + b2.w * (b2.x | 1u) + b3.w * (b3.x | 1u) + b4.w * (b4.x | 1u) + b5.w * (b5.x | 1u) + b6.w * (b6.x | 1u) + b7.w * (b7.x | 1u) + b8.w * (b8.x | 1u) + b9.w * (b9.x | 1u);
    m += c0.w * (c0.x | 1u) + c1.w * (c1.x | 1u) + c2.w * (c2.x | 1u) + c3.w * (c3.x | 1u) + c4.w * (c4.x | 1u) + c5.w * (c5.x | 1u) + c6.w * (c6.x | 1u) + c7.w * (c7.x | 1u) + c8.w * (c8.x | 1u) + c9.w * (c9.x | 1u);
    m += d0.w * (d0.x | 1u) + d1.w * (d1.x | 1u) + d2.w * (d2.x | 1u) + d3.w * (d3.x | 1u) + d4.w * (d4.x | 1u) + d5.w * (d5.x | 1u) + d6.w * (d6.x | 1u) + d7.w * (d7.x | 1u) + d8.w * (d8.x | 1u) + d9.w * (d9.x | 1u);
    m += e0.w * (e0.x | 1u) + e1.w * (e1.x | 1u) + e2.w * (e2.x | 1u) + e3.w * (e3.x | 1u) + e4.w * (e4.x | 1u) + e5.w * (e5.x | 1u) + e6.w * (e6.x | 1u) + e7.w * (e7.x | 1u) + e8.w * (e8.x | 1u) + e9.w * (e9.x | 1u);
    m += f0.w * (f0.x | 1u) + f1.w * (f1.x | 1u) + f2.w * (f2.x | 1u) + f3.w * (f3.x | 1u) + f4.w * (f4.x | 1u) + f5.w * (f5.x | 1u) + f6.w * (f6.x | 1u) + f7.w * (f7.x | 1u) + f8.w * (f8.x | 1u) + f9.w * (f9.x | 1u);
    m += g0.w * (g0.x | 1u) + g1.w * (g1.x | 1u) + g2.w * (g2.x | 1u) + g3.w * (g3.x | 1u) + g4.w * (g4.x | 1u) + g5.w * (g5.x | 1u) + g6.w * (g6.x | 1u) + g7.w * (g7.x | 1u) + g8.w * (g8.x | 1u) + g9.w * (g9.x | 1u);
    m += h0.w * (h0.x | 1u) + h1.w * (h1.x | 1u) + h2.w * (h2.x | 1u) + h3.w * (h3.x | 1u) + h4.w * (h4.x | 1u) + h5.w * (h5.x | 1u) + h6.w * (h6.x | 1u) + h7.w * (h7.x | 1u) + h8.w * (h8.x | 1u) + h9.w * (h9.x | 1u);
    put(ID, m);
}
