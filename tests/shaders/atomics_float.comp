#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A maximum of floats by compare and swap.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    float x = abs(in_f(ID)) + 1.0;
    uint slot = ID & 7u, old = second.words[slot], seen;
    for (;;) {
        if (uintBitsToFloat(old) >= x)
            break;
        seen = atomicCompSwap(second.words[slot], old, floatBitsToUint(x));
        if (seen == old)
            break;
        old = seen;
    }
}
