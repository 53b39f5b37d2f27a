#version 450
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#include "../glsl_list.h"
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) buffer In { REAL x[]; } source;
layout(set = 0, binding = 1) buffer Out { REAL y[]; } result;
#define ONE(name) + 1u
#define F1(name) result.y[at++] = name(x);
#define F2(name) result.y[at++] = name(x, y);
void main()
{
    uint lane = gl_LocalInvocationID.x;
    REAL x = source.x[lane], y = source.x[(lane * 7u + 3u) % 256u];
    uint at = lane * (0u GLSL_FUNCTIONS_1(ONE) GLSL_FUNCTIONS_2(ONE));
    GLSL_FUNCTIONS_1(F1)
    GLSL_FUNCTIONS_2(F2)
}
