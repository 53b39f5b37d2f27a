#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_ARB_gpu_shader_int64 : require
#extension GL_EXT_shader_atomic_int64 : require
#include "common.glsl"

// Atomic sums of 64 bits.
// run 4 1 1
layout(local_size_x = 64) in;

layout(set = 0, binding = 3, std430) buffer Wide {
    uint64_t sums[];
} wide;

void main()
{
    uint64_t x = uint64_t(in_u(ID)) * uint64_t(in_u(ID + 1u));
    atomicAdd(wide.sums[ID & 3u], x);
    atomicMax(wide.sums[8], x);
    atomicXor(wide.sums[9], x);
}
