#version 460
// run 1 1 1 judge mesa
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// Reductions that the other subgroup shaders do not use: products, masks, truth values, and a bit of a ballot.
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_clustered : require
#include "common.glsl"
layout(local_size_x = 128) in;
void main()
{
    uint n = ID * 16u, a = in_u(ID);
    bool odd = (a & 1u) == 1u;
    uvec4 ballot = subgroupBallot(odd);
    put(n, subgroupMul(a | 1u));
    put(n + 1u, subgroupInclusiveMul(int(a) | 1));
    put(n + 2u, subgroupAnd(a | 0x80u));
    put(n + 3u, subgroupExclusiveAnd(a | 0xff00u));
    put(n + 4u, subgroupAnd(a != 5u));
    put(n + 5u, subgroupInclusiveOr(odd));
    put(n + 6u, subgroupExclusiveXor(odd));
    put(n + 7u, subgroupClusteredXor(odd, 8u));
    put(n + 8u, subgroupBallotBitExtract(ballot, a % 32u));
    put(n + 9u, bitCount(gl_SubgroupGeMask.x) + bitCount(gl_SubgroupGtMask.x) * 64 + bitCount(gl_SubgroupLeMask.x) * 4096);
    put(n + 10u, gl_SubgroupEqMask.x ^ gl_SubgroupLtMask.y);
}
