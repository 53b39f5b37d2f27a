#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_shuffle_relative : require
#extension GL_KHR_shader_subgroup_clustered : require
#extension GL_KHR_shader_subgroup_quad : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_atomic_int64 : require
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
// What lanes do together: each line has its twin in test_features.c.
layout(local_size_x = 64) in;
layout(constant_id = 3) const uint SPEC = 5;
layout(constant_id = 4) const bool TURNED = false;
const uint SPEC_SUM = SPEC * 3u + (TURNED ? 100u : 1u);
layout(set = 0, binding = 0) buffer Out { uint r[64][48]; } result;
layout(set = 0, binding = 1) buffer Atomics { uint u[16]; int i[4]; float f[4]; uint64_t w[4]; } atomics;
shared uint total;
shared uint slots[64];
shared float sums[SPEC];
void main()
{
    uint lane = gl_SubgroupInvocationID, id = gl_LocalInvocationIndex;
    uint at = 0;
#define PUT(x) result.r[id][at++] = uint(x);
    uint x = id * 7u % 13u;
    PUT(gl_SubgroupSize) PUT(lane) PUT(gl_SubgroupID) PUT(gl_NumSubgroups)
    PUT(subgroupElect()) PUT(subgroupAll(x < 13u)) PUT(subgroupAny(x == 12u)) PUT(subgroupAllEqual(x))
    PUT(subgroupBroadcast(x, 5u)) PUT(subgroupBroadcastFirst(x))
    uvec4 ballot = subgroupBallot((x & 1u) != 0u);
    PUT(ballot.x) PUT(subgroupInverseBallot(ballot)) PUT(subgroupBallotBitExtract(ballot, 3u)) PUT(subgroupBallotBitCount(ballot))
    PUT(subgroupBallotInclusiveBitCount(ballot)) PUT(subgroupBallotExclusiveBitCount(ballot)) PUT(subgroupBallotFindLSB(ballot)) PUT(subgroupBallotFindMSB(ballot))
    PUT(subgroupShuffle(x, lane ^ 3u)) PUT(subgroupShuffleXor(x, 5u)) PUT(subgroupShuffleUp(x, 0u)) PUT(subgroupShuffleDown(x, 0u))
    PUT(subgroupAdd(x)) PUT(subgroupMul(x % 3u + 1u)) PUT(subgroupMin(x)) PUT(subgroupMax(int(x) - 20)) PUT(subgroupOr(x)) PUT(subgroupXor(x)) PUT(subgroupAnd(x | 8u))
    PUT(subgroupInclusiveAdd(x)) PUT(subgroupExclusiveAdd(x)) PUT(subgroupClusteredAdd(x, 4u)) PUT(subgroupClusteredMax(x, 8u))
    PUT(subgroupQuadBroadcast(x, 2u)) PUT(subgroupQuadSwapHorizontal(x)) PUT(subgroupQuadSwapVertical(x)) PUT(subgroupQuadSwapDiagonal(x))
    PUT(gl_SubgroupEqMask.x) PUT(gl_SubgroupGeMask.x) PUT(gl_SubgroupGtMask.x) PUT(gl_SubgroupLeMask.x) PUT(gl_SubgroupLtMask.x)
    PUT(SPEC_SUM) PUT(sums.length())
    if (id == 0u) total = 0u;
    slots[id] = x;
    barrier();
    atomicAdd(total, x);
    memoryBarrierShared(); barrier();
    PUT(total) PUT(slots[63u - id])
    atomicAdd(atomics.u[0], x); atomicMin(atomics.u[1], x + 3u); atomicMax(atomics.u[2], x); atomicAnd(atomics.u[3], ~(1u << (id % 8u)));
    atomicOr(atomics.u[4], 1u << (id % 32u)); atomicXor(atomics.u[5], id); atomicMin(atomics.i[0], int(x) - 8); atomicMax(atomics.i[1], int(x) - 30);
    atomicAdd(atomics.f[0], 0.5); atomicAdd(atomics.w[0], 0x100000000ul + x); atomicMax(atomics.w[1], uint64_t(x) << 40);
    if (id == 9u) { atomicExchange(atomics.u[6], 77u); atomicCompSwap(atomics.u[7], 0u, 5u); atomicCompSwap(atomics.u[8], 1u, 5u); }
    atomicAdd(atomics.u[9], 1u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    PUT(atomicLoad(atomics.u[10], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire))
}
