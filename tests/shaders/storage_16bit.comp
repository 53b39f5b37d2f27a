#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "common.glsl"

// Halves of words in buffers.
// run 4 1 1
layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) readonly buffer Shorts {
    uint16_t data[32768];
} shorts;

layout(set = 0, binding = 3, std430) buffer Small {
    int16_t data[2048];
} small;

void main()
{
    uint a = uint(shorts.data[ID * 3u]), b = uint(shorts.data[ID * 3u + 1u]);
    small.data[ID] = int16_t(a + b);
    small.data[512u + ID * 3u] = int16_t(a ^ b);
    put(ID, a * b);
}
