#version 460
// run 1 1 1
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// Addresses as numbers, and back.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#include "common.glsl"
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word; };
layout(local_size_x = 64) in;
void main()
{
    uint64_t base = packUint2x32(push.address);
    Words words = Words(base);
    Words mine = words + ID;
    put(ID, uint(uint64_t(mine) - base));
    put(ID + 64u, Words(uint64_t(mine) + uint64_t(8)).word);
    mine.word += 3u;
}
