#version 460
// run 1 1 1 invalid
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// Classes of floats. The instructions are OpenCL's: no valid module of Vulkan has them, but compilers of other languages write them.
#include "common.glsl"
#define OP(number) spirv_instruction(id = number)
OP(158) bool is_finite(float x);
OP(159) bool is_normal(float x);
OP(160) bool sign_bit(float x);
OP(161) bool less_or_greater(float x, float y);
OP(162) bool ordered(float x, float y);
OP(163) bool unordered(float x, float y);
layout(local_size_x = 64) in;
const uint special[8] = uint[](0u, 0x80000000u, 0x7f800000u, 0xff800000u, 0x7fc00001u, 0xffc00000u, 0x3f000000u, 0x3f800000u);
void main()
{
    uint n = ID * 8u;
    float x = uintBitsToFloat(special[ID % 8u]), y = uintBitsToFloat(special[ID / 8u]);
    put(n, is_finite(x));
    put(n + 1u, is_normal(x));
    put(n + 2u, sign_bit(x));
    put(n + 3u, less_or_greater(x, y));
    put(n + 4u, ordered(x, y));
    put(n + 5u, unordered(x, y));
    put(n + 6u, is_normal(uintBitsToFloat(5u + ID))); // denormal
}
