#version 460
// run 1 1 1 rig judge mesa
#extension GL_GOOGLE_include_directive : require
#extension GL_NV_compute_shader_derivatives : require
// Derivatives in a compute shader: quads of two by two.
#include "common.glsl"
layout(local_size_x = 16, local_size_y = 8) in;
layout(derivative_group_quadsNV) in;
void main()
{
    vec2 at = vec2(gl_LocalInvocationID.xy);
    uint i = gl_LocalInvocationIndex;
    put(i, vec4(dFdx(at.x * at.x), dFdy(at.y * at.y + at.x), dFdxFine(at.x * at.y), dFdyFine(at.x * at.y)));
}
