#version 450
#extension GL_GOOGLE_include_directive : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint x[]; } source;
layout(set = 0, binding = 1) buffer Out { uint y[]; } result;
#define ARRAY(type, name, n) type name[n]
void divide(uint a, uint b, out uint quotient, out uint remainder)
{
    remainder = a % b;
    if (b == 9u) {
        quotient = 1u;
        return;
    }
    quotient = a / b;
}
#define OUT_CALL(f, a, b, q, r) f(a, b, q, r)
#include "control_programs.h"
#include "../control_list.h"
#define P(name) result.y[at++] = p_##name(x);
#define ONE(name) + 1u
void main()
{
    uint x = source.x[gl_GlobalInvocationID.x];
    uint at = gl_GlobalInvocationID.x * (0u CONTROL_PROGRAMS(ONE));
    CONTROL_PROGRAMS(P)
}
