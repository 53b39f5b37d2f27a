#version 460
// run 1 1 1 tolerance 0.00001 judge mesa
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// Functions of GLSL.std.450 and operations that the rest of the corpus does not use.
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "common.glsl"
#define GLSL450(number) spirv_instruction(set = "GLSL.std.450", id = number)
GLSL450(79) float n_min(float x, float y);
GLSL450(80) float n_max(float x, float y);
GLSL450(81) float n_clamp(float x, float y, float z);
spirv_instruction(id = 140) float f_rem(float x, float y);
spirv_instruction(id = 138) int s_rem(int x, int y);
spirv_instruction(id = 116) float to_half(float x);
layout(local_size_x = 64) in;
void main()
{
    uint n = ID * 32u;
    float x = in_f(ID), y = in_f(ID + 64u), nan = uintBitsToFloat(0x7fc00000u | push.words[0]);
    int a = in_i(ID) >> 8, b = (in_i(ID + 64u) >> 20) | 1;
    put(n, n_min(ID % 2u == 0u ? nan : x, y));
    put(n + 1u, n_max(x, ID % 3u == 0u ? nan : y));
    put(n + 2u, n_clamp(ID % 4u == 0u ? nan : x, -1.0, 1.0));
    put(n + 3u, f_rem(x * 16.0, 1.5));
    put(n + 4u, s_rem(a, b));
    put(n + 5u, to_half(x));
    put(n + 6u, round(x * 4.0 + 0.125));
    put(n + 7u, sign(ID == 5u ? 0.0 : x));
    put(n + 8u, radians(x * 90.0));
    put(n + 9u, degrees(x));
    float whole;
    put(n + 10u, modf(x, whole));
    put(n + 11u, whole);
    int exponent;
    put(n + 12u, frexp(x, exponent));
    put(n + 13u, exponent);
    put(n + 14u, clamp(in_u(ID), 0x20000000u, 0xa0000000u));
    double d = packDouble2x32(uvec2(in_u(ID), 0x3ff00000u | in_u(ID + 1u) >> 12));
    uvec2 halves = unpackDouble2x32(d * 2.0);
    put(n + 15u, halves.x >> 1);
    put(n + 16u, halves.y);
    vec3 v = in_v3(ID);
    mat2x3 m = mat2x3(in_v3(ID + 3u), in_v3(ID + 9u));
    vec2 product = v * m;
    put(n + 17u, product.x);
    put(n + 18u, product.y);
    bvec3 less = lessThan(v, vec3(0.5)), more = greaterThan(ivec3(a, b, 3), ivec3(b, 7, 2));
    put(n + 19u, any(less));
    put(n + 20u, all(more));
    put(n + 21u, (less.x != more.x) ^^ less.y);
    put(n + 22u, a > b);
    put(n + 23u, !(x <= nan));
    put(n + 24u, !(x > y));
}
