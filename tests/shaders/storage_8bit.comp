#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "common.glsl"

// Bytes in buffers.
// run 4 1 1
layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) readonly buffer Bytes {
    uint8_t data[65536];
} bytes;

layout(set = 0, binding = 3, std430) buffer Small {
    uint8_t data[4096];
} small;

void main()
{
    uint a = uint(bytes.data[ID * 3u]), b = uint(bytes.data[ID * 3u + 1u]);
    small.data[ID] = uint8_t(a + b);
    small.data[1024u + ID * 3u] = uint8_t(a ^ b);
    put(ID, a << 8 | b);
}
