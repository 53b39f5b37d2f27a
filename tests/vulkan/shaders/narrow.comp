#version 460
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer A { uint8_t a[]; };
layout(set = 0, binding = 1) readonly buffer B { int16_t b[]; };
layout(set = 0, binding = 2) buffer R { uint8_t r8[]; };
layout(set = 0, binding = 3) buffer S { int16_t r16[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    r8[i] = uint8_t(uint(a[i]) * 3u + 1u);
    r16[i] = int16_t(int(b[i]) * 5 - int(a[i]));
}
