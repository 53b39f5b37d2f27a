#version 460
// run 1 1 1 rig twin hints_twin_comp
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// Hints: what is likely, and what may be taken for true.
#include "common.glsl"
#define HINT(number) spirv_instruction(extensions = ["SPV_KHR_expect_assume"], capabilities = [5629], id = number)
HINT(5631) uint expect(uint x, uint likely);
HINT(5630) void assume(bool x);
layout(local_size_x = 64) in;
void main()
{
    uint a = in_u(ID);
    assume(ID < 64u);
    put(ID, expect(a, 7u) == 7u ? 1u : a * 3u);
}
