#version 460
// run 1 1 1 judge mesa
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Float controls: denormals are kept and rounding is to the nearest; zeros have signs, and infinities are numbers.
#include "common.glsl"
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4464], 4459, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4464], 4459, 16);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4464], 4459, 64);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 16);
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4466], 4461, 32);
layout(local_size_x = 64) in;
void main()
{
    uint n = ID * 8u;
    float small = uintBitsToFloat(in_u(ID) >> 9), x = in_f(ID), y = in_f(ID + 64u), zero = float(push.words[0]) - 3.0;
    put(n, small * 0.5);
    put(n + 1u, small + uintBitsToFloat(in_u(ID + 1u) >> 9));
    put(n + 2u, x * y);
    put(n + 3u, x + y * 1024.0);
    put(n + 4u, -zero * x);
    put(n + 5u, (x / zero) * 0.5);
    put(n + 6u, fma(x, y, 1.0));
    put(n + 7u, uint(float16BitsToUint16(float16_t(x) * float16_t(0.0001))));
}
