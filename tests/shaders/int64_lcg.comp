#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_ARB_gpu_shader_int64 : require
#include "common.glsl"

// A generator of 64 bits.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint64_t state = uint64_t(in_u(ID)) << 32 | uint64_t(ID);
    uint sum = 0u;
    for (uint i = 0u; i < 12u; i++) {
        state = state * 6364136223846793005ul + 1442695040888963407ul;
        uint shifted = uint((state >> 18 ^ state) >> 27), turn = uint(state >> 59);
        sum += shifted >> turn | shifted << (-int(turn) & 31);
    }
    put(ID, sum);
}
