#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Primes by trial division.
// run 4 1 1
layout(local_size_x = 64) in;

bool is_prime(uint n)
{
    if (n < 4u)
        return n > 1u;
    if (n % 2u == 0u || n % 3u == 0u)
        return false;
    for (uint i = 5u; i * i <= n; i += 6u) {
        if (n % i == 0u || n % (i + 2u) == 0u)
            return false;
    }
    return true;
}

void main()
{
    put(ID, is_prime(ID * 37u + 1u));
}
