#version 460
#extension GL_EXT_shader_realtime_clock : require
#extension GL_ARB_shader_clock : require
#extension GL_ARB_gpu_shader_int64 : require
layout(local_size_x = 64) in;
layout(binding = 0) buffer R { uint64_t r[]; };
void main()
{
    uint64_t device = clockRealtimeEXT(), group = clockARB();
    uint x = gl_GlobalInvocationID.x;
    for (uint i = 0; i < 1000u; i++)
        x = x * 1664525u + 1013904223u;
    r[gl_GlobalInvocationID.x * 4 + 0] = device;
    r[gl_GlobalInvocationID.x * 4 + 1] = clockRealtimeEXT();
    r[gl_GlobalInvocationID.x * 4 + 2] = group;
    r[gl_GlobalInvocationID.x * 4 + 3] = clockARB() + (x == 12345u ? 1 : 0);
}
