#version 460
// run 2 1 1 rig
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_spirv_intrinsics : require
// Float atomics in buffers and in shared memory. Sums are of small integers, so that no order shows.
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint words[8192]; float floats[8192]; } source;
layout(set = 0, binding = 1, std430) buffer Output { float values[]; } result;
layout(set = 0, binding = 3, std430) buffer Second { float values[]; } second;
shared float all[4];
void main()
{
    uint i = gl_GlobalInvocationID.x, lane = gl_LocalInvocationID.x;
    float x = round(source.floats[i] * 8.0);
    if (lane < 4u)
        all[lane] = lane == 1u ? 100.0 : 0.0;
    barrier();
    atomicAdd(result.values[i % 8u], x);
    atomicMin(result.values[8u + i % 4u], source.floats[i]);
    atomicMax(result.values[12u + i % 4u], source.floats[i]);
    atomicAdd(all[0], x);
    atomicMin(all[1], source.floats[i]);
    atomicMax(all[2], source.floats[i]);
    second.values[256u + i] = atomicExchange(second.values[i], x);
    barrier();
    if (lane < 4u)
        result.values[64u + gl_WorkGroupID.x * 4u + lane] = all[lane];
}
