#version 460
// run 1 1 1 judge mesa
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// SPV_INTEL_shader_integer_functions2, which GLSL reaches by intrinsics alone.
#include "common.glsl"
#define INTEL(number) spirv_instruction(extensions = ["SPV_INTEL_shader_integer_functions2"], capabilities = [5584], id = number)
INTEL(5585) uint leading_zeros(uint x);
INTEL(5586) uint trailing_zeros(uint x);
INTEL(5587) uint distance_signed(int x, int y);
INTEL(5588) uint distance_unsigned(uint x, uint y);
INTEL(5589) int add_signed(int x, int y);
INTEL(5590) uint add_unsigned(uint x, uint y);
INTEL(5591) int average_signed(int x, int y);
INTEL(5592) uint average_unsigned(uint x, uint y);
INTEL(5593) int rounded_signed(int x, int y);
INTEL(5594) uint rounded_unsigned(uint x, uint y);
INTEL(5595) int subtract_signed(int x, int y);
INTEL(5596) uint subtract_unsigned(uint x, uint y);
INTEL(5597) int multiply_signed(int x, int y);
INTEL(5598) uint multiply_unsigned(uint x, uint y);
layout(local_size_x = 64) in;
void main()
{
    uint n = ID * 16u, a = in_u(ID) >> (ID % 32u), b = in_u(ID + 64u);
    put(n, leading_zeros(a));
    put(n + 1u, trailing_zeros(a << (ID % 7u)));
    put(n + 2u, distance_signed(int(a), int(b)));
    put(n + 3u, distance_unsigned(a, b));
    put(n + 4u, add_signed(int(a), int(b)));
    put(n + 5u, add_unsigned(a, b));
    put(n + 6u, average_signed(int(a), int(b)));
    put(n + 7u, average_unsigned(a, b));
    put(n + 8u, rounded_signed(int(a), int(b)));
    put(n + 9u, rounded_unsigned(a, b));
    put(n + 10u, subtract_signed(int(a), int(b)));
    put(n + 11u, subtract_unsigned(a, b));
    put(n + 12u, multiply_signed(int(a), int(b)));
    put(n + 13u, multiply_unsigned(a, b));
}
