#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Jenkins' lookup3 over three words.
// run 4 1 1
layout(local_size_x = 64) in;

uint rotl(uint x, uint n)
{
    return x << n | x >> (32u - n);
}

void main()
{
    uint a = 0xdeadbeefu + in_u(ID * 3u), b = 0xdeadbeefu + in_u(ID * 3u + 1u), c = 0xdeadbeefu + in_u(ID * 3u + 2u);
    c ^= b; c -= rotl(b, 14u);
    a ^= c; a -= rotl(c, 11u);
    b ^= a; b -= rotl(a, 25u);
    c ^= b; c -= rotl(b, 16u);
    a ^= c; a -= rotl(c, 4u);
    b ^= a; b -= rotl(a, 14u);
    c ^= b; c -= rotl(b, 24u);
    put(ID, c);
}
