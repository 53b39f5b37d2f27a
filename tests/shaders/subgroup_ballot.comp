#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "common.glsl"

// Ballots: masks, counts, ranks, first and last.
// run 4 1 1 judge mesa
layout(local_size_x = 64) in;

void main()
{
    uvec4 odd = subgroupBallot((in_u(ID) & 1u) != 0u);
    put(ID * 8u + 0u, odd.x);
    put(ID * 8u + 1u, odd.y);
    put(ID * 8u + 2u, subgroupBallotBitCount(odd));
    put(ID * 8u + 3u, subgroupBallotExclusiveBitCount(odd));
    put(ID * 8u + 4u, subgroupBallotFindLSB(odd) * 100u + subgroupBallotFindMSB(odd));
    put(ID * 8u + 5u, subgroupInverseBallot(odd));
    put(ID * 8u + 6u, subgroupBroadcastFirst(in_u(ID)));
    put(ID * 8u + 7u, subgroupBroadcast(in_u(ID), 5u) ^ gl_SubgroupLtMask.x ^ gl_SubgroupGeMask.x * 3u);
}
