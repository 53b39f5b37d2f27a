#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// All atomic operations of words; only what does not depend on an order is kept.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint x = in_u(ID);
    atomicAdd(second.words[0], x);
    atomicXor(second.words[1], x);
    atomicOr(second.words[2], x & 0x10101010u << (ID & 3u));
    atomicAnd(second.words[3], ~x);
    atomicMax(second.words[4], x);
    atomicMin(second.words[8u + (ID & 7u)], x);
    atomicExchange(second.words[16u + ID], x);
    atomicCompSwap(second.words[300u + ID], 0u, x);
    put(ID, second.words[16u + ID]);
}
