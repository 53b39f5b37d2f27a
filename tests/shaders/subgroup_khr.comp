#version 460
// run 1 1 1 judge mesa
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// The lane operations of SPV_KHR_shader_ballot and SPV_KHR_subgroup_vote.
#extension GL_KHR_shader_subgroup_basic : require
#include "common.glsl"
#define BALLOT(number) spirv_instruction(extensions = ["SPV_KHR_shader_ballot"], capabilities = [4423], id = number)
#define VOTE(number) spirv_instruction(extensions = ["SPV_KHR_subgroup_vote"], capabilities = [4431], id = number)
BALLOT(4421) uvec4 ballot(bool x);
BALLOT(4422) uint first(uint x);
BALLOT(4432) uint read(uint x, uint lane);
VOTE(4428) bool all_of(bool x);
VOTE(4429) bool any_of(bool x);
VOTE(4430) bool all_equal(bool x);
layout(local_size_x = 128) in;
void main()
{
    uint n = ID * 16u, a = in_u(ID);
    put(ID * 4u, ballot(a % 3u == 1u));
    put(n + 4u, read(a, 7u));
    put(n + 5u, all_equal(a != 5u));
    if (a % 5u != 0u) {
        put(n + 6u, first(a));
        put(n + 7u, all_of(a % 5u != 0u));
        put(n + 8u, any_of(a % 128u == 1u));
    }
}
