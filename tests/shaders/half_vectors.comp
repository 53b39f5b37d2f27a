#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "common.glsl"

// Vectors of half floats and 16-bit integers: colours that are mixed and clamped, sums around a loop, swizzles, choices.
// run 2 1 1 judge mesa
layout(local_size_x = 64) in;

layout(set = 0, binding = 3, std430) buffer Halves {
    f16vec4 colour[256];
    i16vec4 number[256];
} halves;

f16vec4 colour_of(uint word)
{
    return f16vec4(uvec4(word, word >> 8, word >> 16, word >> 24) & 15u) * 0.125hf;
}

void main()
{
    f16vec4 a = colour_of(in_u(ID)), b = colour_of(in_u(ID + 7u)), sum = f16vec4(0.0hf);
    for (uint i = 0u; i < 4u + (ID & 3u); i++)
        sum = clamp(sum.wxyz * 0.5hf + a, f16vec4(-1.0hf), b.yzwx);
    sum.xy = all(greaterThan(a.xy, b.xy)) ? -sum.yx : abs(a.zw - b.xy);
    halves.colour[ID] = max(a * b.x - b, sum);
    halves.colour[128u + ID] = f16vec4(fma(a, b, sum.xxyy).xyz, dot(a.xy, b.zw));

    i16vec4 x = i16vec4(sum * 8.0hf), y = i16vec4(ivec4(in_u(ID + 1u)) >> ivec4(0, 4, 8, 12)), z = i16vec4(0s);
    for (uint i = 0u; i < 3u; i++)
        z = min(z * 3s + x, max(y.yxwz, -x)) << 1 ^ y >> 3;
    halves.number[ID] = z;
    halves.number[128u + ID] = (x & ~y) | (z - y.x);
    put(ID, a.x < b.y ? uint(z.w) : uint(x.z));
}
