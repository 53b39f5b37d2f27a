#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_quad : require
// One subgroup operation. The first word of a result is the operation's, the second the place in the subgroup, the third the subgroup's size.
layout(local_size_x = 128) in;
layout(constant_id = 0) const int OP = 0;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer R { uvec4 r[]; };

// One after the other's, which all want at once.
uint mix_all(uint x)
{
    uint sum = 0u;
    for (uint k = 0u; k < gl_SubgroupSize; k++)
        sum = sum * 3u + subgroupShuffle(x, k);
    return sum;
}

uint apply(uint x)
{
    uvec4 ballot;
    switch (OP) {
    case 0: return subgroupAdd(x);
    case 1: return subgroupMin(x);
    case 2: return subgroupMax(x);
    case 3: return subgroupAnd(x);
    case 4: return subgroupOr(x);
    case 5: return subgroupXor(x);
    case 6: return subgroupMul(x | 1u);
    case 7: return subgroupInclusiveAdd(x);
    case 8: return subgroupExclusiveAdd(x);
    case 9: return subgroupInclusiveMax(x);
    case 10: return subgroupExclusiveXor(x);
    case 11: return subgroupBroadcast(x, 3u);
    case 12: return subgroupBroadcastFirst(x);
    case 13: return subgroupShuffle(x, (gl_SubgroupInvocationID * 5u + 1u) % gl_SubgroupSize);
    case 14: return subgroupShuffleXor(x, 1u);
    case 15: return subgroupShuffleUp(x, 0u);
    case 18: return subgroupQuadBroadcast(x, 2u);
    case 19: return subgroupQuadSwapHorizontal(x);
    case 20: return subgroupQuadSwapVertical(x);
    case 21: return subgroupQuadSwapDiagonal(x);
    case 22: return subgroupAny((x & 63u) == 5u) ? 1u : 0u;
    case 23: return subgroupAll((x & 1u) == 0u) ? 1u : 0u;
    case 24: return subgroupAllEqual(x) ? 1u : 0u;
    case 25: return subgroupBallotBitCount(subgroupBallot((x & 1u) != 0u));
    case 26: return subgroupBallotExclusiveBitCount(subgroupBallot((x & 2u) != 0u));
    case 27: return subgroupBallotFindLSB(subgroupBallot((x & 4u) != 0u));
    case 28: return subgroupInverseBallot(subgroupBallot((x & 8u) != 0u)) ? 1u : 0u;
    // Sums of so many whole numbers are exact in any order.
    case 30: return uint(subgroupAdd(float(x)));
    case 31: return uint(subgroupMin(float(x)));
    case 32: return uint(subgroupInclusiveAdd(float(x)));
    case 33: return uint(subgroupExclusiveAdd(float(x)));
    case 29: return subgroupElect() ? 1u : 0u;
    case 34: return mix_all(x);
    case 35: return subgroupShuffle(x, subgroupShuffle((gl_SubgroupInvocationID * 5u + 1u) % gl_SubgroupSize, gl_SubgroupInvocationID ^ 1u));
    default: return 0u;
    }
}

void main()
{
    uint i = gl_GlobalInvocationID.x;
    r[i] = uvec4(apply(a[i]), gl_SubgroupInvocationID, gl_SubgroupSize, gl_SubgroupID);
}
