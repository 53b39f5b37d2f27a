#version 460
// run 1 1 1 rig judge mesa
#extension GL_GOOGLE_include_directive : require
#extension GL_NV_compute_shader_derivatives : require
// Derivatives in a compute shader: four lanes in a row.
#include "common.glsl"
layout(local_size_x = 128) in;
layout(derivative_group_linearNV) in;
void main()
{
    uint i = gl_LocalInvocationIndex;
    vec2 at = vec2(i % 2u, i / 2u) + float(i);
    put(i, vec4(dFdx(at.x * at.x), dFdy(at.y * at.y + at.x), dFdxFine(at.x * at.y), dFdyFine(at.x * at.y)));
}
