#version 460
// One atomic, chosen at specialization, on memory or on shared memory.
layout(local_size_x = 64) in;
layout(constant_id = 0) const int OP = 0;
layout(constant_id = 1) const bool SHARED = false;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) buffer R { uint r[]; };
shared uint s[4];

void main()
{
    uint x = a[gl_GlobalInvocationID.x], at = gl_LocalInvocationID.x & 3u;
    if (SHARED) {
        if (gl_LocalInvocationID.x < 4u)
            s[gl_LocalInvocationID.x] = OP == 1 || OP == 3 || OP == 4 ? 0xffffffffu : 0u;
        barrier();
        switch (OP) {
        case 0: atomicAdd(s[at], x); break;
        case 1: atomicMin(s[at], x); break;
        case 2: atomicMax(s[at], x); break;
        case 3: atomicMin(s[at], x >> 1); break;
        case 4: atomicAnd(s[at], x | 0xf0u); break;
        case 5: atomicOr(s[at], 1u << (x & 31u)); break;
        case 6: atomicXor(s[at], x); break;
        }
        barrier();
        if (gl_LocalInvocationID.x >= 4u)
            return;
        x = s[gl_LocalInvocationID.x];
        at = gl_LocalInvocationID.x;
    }
    switch (OP) {
    case 0: atomicAdd(r[at], x); break;
    case 1: atomicMin(r[at], x); break;
    case 2: atomicMax(r[at], x); break;
    case 3: atomicMin(r[at], SHARED ? x : x >> 1); break;
    case 4: atomicAnd(r[at], x | 0xf0u); break;
    case 5: atomicOr(r[at], SHARED ? x : 1u << (x & 31u)); break;
    case 6: atomicXor(r[at], x); break;
    case 7: atomicCompSwap(r[at], 0u, at + 100u); break;
    case 8: atomicExchange(r[at], at + 200u); break;
    }
}
