#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_ARB_gpu_shader_int64 : require
#include "common.glsl"

// Floats to integers of 64 bits and back, within their range.
// run 4 1 1
layout(local_size_x = 64) in;

void main()
{
    uint word = in_u(ID);
    float small = float(int(word)) * 0.37, large = float(int(word)) * 1048576.0, huge = float(word) * 1073741824.0;
    int64_t a = int64_t(small), c = int64_t(large);
    uint64_t u = uint64_t(huge), v = uint64_t(word) << 23 | uint64_t(word >> 7);
    put(8u * ID, uint(a));
    put(8u * ID + 1u, uint(a >> 32));
    put(8u * ID + 2u, uint(c));
    put(8u * ID + 3u, uint(c >> 32));
    put(8u * ID + 4u, uint(u) ^ uint(u >> 32));
    put(8u * ID + 5u, floatBitsToUint(float(v)));
    put(8u * ID + 6u, floatBitsToUint(float(int64_t(v) - int64_t(1ul << 53))));
    put(8u * ID + 7u, floatBitsToUint(float(c)));
}
