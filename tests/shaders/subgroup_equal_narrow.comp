#version 460
// run 2 1 1 judge mesa
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require
#extension GL_EXT_shader_subgroup_extended_types_int8 : require
#extension GL_EXT_shader_subgroup_extended_types_int64 : require
// Whether all lanes have the same number, of 8, 16 and 64 bits: what lies above a narrow one does not count.
#include "common.glsl"
layout(local_size_x = 64) in;
void main()
{
    uint n = ID * 8u, a = in_u(ID);
    int16_t minus = int16_t(-int(push.words[0])); // the same in all lanes, with bits above
    put(n, subgroupAllEqual(minus));
    put(n + 1u, subgroupAllEqual(int16_t(0xfff0)));
    put(n + 2u, subgroupAllEqual(uint16_t(a << 16u | 5u)));
    put(n + 3u, subgroupAllEqual(int8_t(a << 8u | 0xf3u)));
    put(n + 4u, subgroupAllEqual(uint8_t(a)));
    put(n + 5u, subgroupAllEqual(uint64_t(push.words[1]) << 40));
    put(n + 6u, subgroupAllEqual(int16_t(minus * int16_t(3)) - int16_t(a << 16u)));
    if (a % 3u == 0u)
        put(n + 7u, subgroupAllEqual(int16_t(-1)));
}
