#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_ARB_gpu_shader_int64 : require
#include "common.glsl"

// Powers modulo a prime of 31 bits.
// run 4 1 1
layout(local_size_x = 64) in;

uint multiply(uint a, uint b)
{
    return uint(uint64_t(a) * uint64_t(b) % 2147483647ul);
}

void main()
{
    uint base = in_u(ID) >> 1, exponent = in_u(ID + 1u) >> 22, power = 1u;
    while (exponent != 0u) {
        if ((exponent & 1u) != 0u)
            power = multiply(power, base);
        base = multiply(base, base);
        exponent >>= 1;
    }
    put(ID, power);
}
