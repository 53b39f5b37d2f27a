#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Products of 64 bits, carries and borrows.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint high, low, carry, borrow;
    int shigh, slow;
    umulExtended(in_u(ID), in_u(ID + 1u), high, low);
    imulExtended(in_i(ID), in_i(ID + 1u), shigh, slow);
    uint sum = uaddCarry(in_u(ID), in_u(ID + 2u), carry);
    uint difference = usubBorrow(in_u(ID), in_u(ID + 3u), borrow);
    put(ID * 8u + 0u, high);
    put(ID * 8u + 1u, low);
    put(ID * 8u + 2u, shigh);
    put(ID * 8u + 3u, slow);
    put(ID * 8u + 4u, sum);
    put(ID * 8u + 5u, carry);
    put(ID * 8u + 6u, difference);
    put(ID * 8u + 7u, borrow);
}
