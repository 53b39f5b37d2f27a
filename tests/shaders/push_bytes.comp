#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#define OWN_PUSH
#include "common.glsl"

// Bytes of push constants, from addresses inside of a dword: runs of all lengths, and one that no registers hold.
// run 4 1 1
layout(local_size_x = 64) in;
layout(push_constant) uniform Push {
    uint8_t bytes[32];
} push_bytes;

void main()
{
    uint sum = 0u;
    for (uint i = 1u; i < 6u; i++)
        sum = sum * 31u + uint(push_bytes.bytes[i]);
    put(ID * 5u + 0u, sum);
    sum = 0u;
    for (uint i = 10u; i < 27u; i++)
        sum = sum * 31u + uint(push_bytes.bytes[i]);
    put(ID * 5u + 1u, sum);
    put(ID * 5u + 2u, uint(push_bytes.bytes[31]) << 8 | uint(push_bytes.bytes[29]));
    put(ID * 5u + 3u, uint(push_bytes.bytes[gl_WorkGroupID.x + 3u]));
    put(ID * 5u + 4u, uint(push_bytes.bytes[7u * gl_WorkGroupID.x]));
}
