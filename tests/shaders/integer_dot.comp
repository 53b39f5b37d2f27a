#version 460
// run 1 1 1
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// Integer dot products of packed words and of vectors, with and without a sum that saturates.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "common.glsl"
#define DOT(number) spirv_instruction(extensions = ["SPV_KHR_integer_dot_product"], capabilities = [6016, 6017, 6018, 6019], id = number)
DOT(4450) int dot_signed(uint x, uint y, spirv_literal uint packed);
DOT(4451) uint dot_unsigned(uint x, uint y, spirv_literal uint packed);
DOT(4452) int dot_mixed(uint x, uint y, spirv_literal uint packed);
DOT(4453) int sum_signed(uint x, uint y, int sum, spirv_literal uint packed);
DOT(4454) uint sum_unsigned(uint x, uint y, uint sum, spirv_literal uint packed);
DOT(4455) int sum_mixed(uint x, uint y, int sum, spirv_literal uint packed);
DOT(4450) int dot_bytes(i8vec4 x, i8vec4 y);
DOT(4450) int dot_shorts(i16vec2 x, i16vec2 y);
DOT(4451) uint dot_words(uvec3 x, uvec3 y);
layout(local_size_x = 64) in;
void main()
{
    uint n = ID * 16u, a = in_u(ID), b = in_u(ID + 64u);
    put(n, dot_signed(a, b, 0u));
    put(n + 1u, dot_unsigned(a, b, 0u));
    put(n + 2u, dot_mixed(a, b, 0u));
    put(n + 3u, sum_signed(a, b, ID % 3u == 0u ? 0x7ffffff0 : -0x7ffffff0, 0u));
    put(n + 4u, sum_unsigned(a, b, ID % 3u == 0u ? 0xfffffff0u : b, 0u));
    put(n + 5u, sum_mixed(a, b, ID % 3u == 0u ? 0x7ffffff0 : int(b), 0u));
    put(n + 6u, dot_bytes(i8vec4(unpack8(int(a))), i8vec4(unpack8(int(b)))));
    put(n + 7u, dot_shorts(unpack16(int(a)), unpack16(int(b))));
    put(n + 8u, dot_words(uvec3(a, b, 7u), uvec3(b, 3u, a)));
}
