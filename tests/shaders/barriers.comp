#version 460
// run 1 1 1
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// Memory barriers of each kind between two halves of a workgroup's work.
#include "common.glsl"
layout(local_size_x = 128) in;
shared uint all[128];
void main()
{
    uint lane = LANE;
    all[lane] = in_u(lane);
    second.words[lane] = in_u(lane + 128u);
    memoryBarrierShared();
    memoryBarrierBuffer();
    barrier();
    uint x = all[127u - lane], y = second.words[lane ^ 64u];
    groupMemoryBarrier();
    memoryBarrier();
    barrier();
    all[lane] = x + y;
    memoryBarrierImage();
    memoryBarrierShared();
    barrier();
    put(lane, all[(lane + 1u) & 127u]);
}
