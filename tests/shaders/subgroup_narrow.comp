#version 460
#extension GL_EXT_shader_explicit_arithmetic_types : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_EXT_shader_subgroup_extended_types_int16 : require

// Vectors of 16 bits that travel between lanes, by numbers that are no constants, beside those that memory has for the same lane.
// run 2 1 1 judge mesa
layout(local_size_x = 128) in;

layout(set = 0, binding = 0, std430) readonly buffer Input {
    u16vec2 data[];
} source;

layout(set = 0, binding = 1, std430) buffer Output {
    uint words[];
} result;

bool is_wrong(uvec4 lanes, u16vec2 got, uint lane)
{
    return subgroupBallotBitExtract(lanes, lane) && got != source.data[lane];
}

void main()
{
    uvec4 lanes = subgroupBallot(true);
    uint me = gl_SubgroupInvocationID, quad = me >> 2, n = gl_GlobalInvocationID.x * 4u;
    bool wrong = false;
    for (uint i = 0u; i < 4u; i++) {
        u16vec2 got = subgroupQuadBroadcast(source.data[me], i);
        if (is_wrong(lanes, got, (me & ~3u) + i))
            wrong = true;
    }
    result.words[n] = uint(wrong);
    wrong = false;
    if ((me & 3u) >= 2u) {
        uint lane = me & 2u; // the same in all lanes that run
        wrong = is_wrong(lanes, subgroupQuadBroadcast(source.data[me], lane), 4u * quad + lane);
    }
    result.words[n + 1u] = uint(wrong);
    uint lane = quad & 3u; // the same in a quad
    result.words[n + 2u] = uint(is_wrong(lanes, subgroupQuadBroadcast(source.data[me], lane), 4u * quad + lane));
    u16vec2 other = subgroupShuffleXor(source.data[me], uint(source.data[gl_WorkGroupID.x].y) & 7u);
    result.words[n + 3u] = uint(other.x) | uint(other.y) << 16u;
}
