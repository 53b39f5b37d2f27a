#version 460
// run 1 1 1
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// Two parts of a number, as a structure and through a pointer: the forms that glslang does not choose.
#include "common.glsl"
struct Parts { float part; float whole; };
spirv_instruction(set = "GLSL.std.450", id = 36) Parts modf_struct(float x);
spirv_instruction(set = "GLSL.std.450", id = 51) float frexp_pointer(float x, spirv_by_reference int exponent);
layout(local_size_x = 64) in;
void main()
{
    float x = in_f(ID) * 8.0;
    Parts parts = modf_struct(x);
    int exponent;
    float fraction = frexp_pointer(x, exponent);
    put(ID * 4u, parts.part);
    put(ID * 4u + 1u, parts.whole);
    put(ID * 4u + 2u, fraction);
    put(ID * 4u + 3u, exponent);
}
