#version 460
// Control flow that differs from lane to lane, chosen at specialization.
layout(local_size_x = 64) in;
layout(constant_id = 0) const int OP = 0;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer R { uint r[]; };

uint collatz(uint x)
{
    uint steps = 0;
    while (x != 1u && steps < 500u) {
        x = (x & 1u) != 0u ? 3u * x + 1u : x >> 1;
        steps++;
    }
    return steps;
}

uint nested(uint x)
{
    uint r = 0;
    for (uint i = 0; i < (x & 7u); i++) {
        for (uint j = i; j < 12u; j++) {
            if (((x >> j) & 1u) != 0u)
                continue;
            if (j == 9u)
                break;
            r += i * j + 1u;
        }
        if (r > 60u)
            return r * 3u;
    }
    return r;
}

uint jumps(uint x)
{
    uint r = 1;
    for (uint i = 0; i < 8u; i++) {
        switch ((x >> (4u * i)) & 15u) {
        case 0: r += 1u;
        case 1: r *= 3u; break;
        case 2: r ^= x; break;
        case 3: continue;
        case 4: case 5: r -= i; break;
        case 6: if (r > 100000u) return r; r <<= 1; break;
        case 7: r = r / 3u; break;
        default: r += 7u; break;
        }
        r += i;
    }
    return r;
}

uint private_array(uint x)
{
    uint table[32];
    for (uint i = 0; i < 32u; i++)
        table[i] = x * (i + 1u) + i;
    uint at = x & 31u, r = 0;
    for (uint i = 0; i < 40u; i++) {
        r = r * 33u ^ table[at];
        table[at] += r;
        at = (table[(at + 7u) & 31u] >> 3) & 31u;
    }
    return r;
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    uint x = a[i];
    if (OP == 4 && (x & 3u) == 2u)
        return;
    r[i] = OP == 0 ? collatz((x & 0xffffu) + 1u) : OP == 1 ? nested(x) : OP == 2 ? jumps(x) : OP == 3 ? private_array(x) : x + 1u;
}
