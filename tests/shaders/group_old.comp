#version 460
// run 1 1 1 judge mesa
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// The group operations of OpenCL, which SPV_AMD_shader_ballot brings to Vulkan: all lanes take part.
#include "common.glsl"
#define AMD(number) spirv_instruction(extensions = ["SPV_AMD_shader_ballot"], capabilities = [18], id = number)
AMD(264) uint add_int(uint scope, spirv_literal uint what, uint x);
AMD(265) float add_float(uint scope, spirv_literal uint what, float x);
AMD(266) float min_float(uint scope, spirv_literal uint what, float x);
AMD(267) uint min_uint(uint scope, spirv_literal uint what, uint x);
AMD(268) int min_int(uint scope, spirv_literal uint what, int x);
AMD(269) float max_float(uint scope, spirv_literal uint what, float x);
AMD(270) uint max_uint(uint scope, spirv_literal uint what, uint x);
AMD(271) int max_int(uint scope, spirv_literal uint what, int x);
AMD(261) bool all_of(uint scope, bool x);
AMD(262) bool any_of(uint scope, bool x);
AMD(263) uint broadcast(uint scope, uint x, uint lane);
layout(local_size_x = 128) in;
void main()
{
    uint n = ID * 16u, a = in_u(ID);
    float x = round(in_f(ID) * 4.0); // small integers: no order of additions shows
    put(n, add_int(3u, 0u, a));
    put(n + 1u, add_float(3u, 1u, x));
    put(n + 8u, all_of(3u, a != 5u));
    put(n + 9u, any_of(3u, a % 64u == 5u));
    put(n + 10u, broadcast(3u, a, 11u));
    put(n + 2u, min_float(3u, 0u, x));
    put(n + 3u, min_uint(3u, 1u, a));
    put(n + 4u, min_int(3u, 2u, int(a)));
    put(n + 5u, max_float(3u, 2u, x));
    put(n + 6u, max_uint(3u, 0u, a));
    put(n + 7u, max_int(3u, 1u, int(a)));
}
