#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_spirv_intrinsics : require
// One operation on many numbers: precision.c chooses it by the specialization constant and measures.
#include "precision_list.h"
layout(constant_id = 0) const uint operation = 0;
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer X { REAL x[]; } xs;
layout(set = 0, binding = 1, std430) readonly buffer Y { REAL x[]; } ys;
layout(set = 0, binding = 2, std430) readonly buffer Z { REAL x[]; } zs;
layout(set = 0, binding = 3, std430) writeonly buffer Results { REAL x[]; } results;
spirv_instruction(id = 140) REAL f_rem(REAL x, REAL y);
#define vec VEC2
REAL fraction(REAL x)
{
    EXPONENT exponent;
    return frexp(x, exponent);
}
REAL part(REAL x)
{
    REAL whole;
    return modf(x, whole);
}
#define NUMBER(name, operands, expression) name##_number,
#define CASE(name, operands, expression) if (operation == at++) result = expression;
void main()
{
    uint i = gl_GlobalInvocationID.x, at = 0u;
    REAL x = xs.x[i], y = ys.x[i], z = zs.x[i], result = REAL(0);
    PRECISION_ROWS(CASE)
    results.x[i] = result;
}
