#version 460
#extension GL_EXT_shader_atomic_float : require
#extension GL_EXT_shader_atomic_float2 : require
/* 256 invocations in groups of 64: each group brings its values to one place of shared memory, or all of them do to one of a buffer. */
layout(local_size_x = 64) in;
layout(constant_id = 0) const int OP = 0;
layout(binding = 0) readonly buffer A { FLOAT a[]; };
layout(binding = 1) buffer R { FLOAT r[]; };
shared FLOAT s;
void main()
{
    FLOAT x = a[gl_GlobalInvocationID.x];
#ifdef SHARED
    if (gl_LocalInvocationIndex == 0)
        s = FLOAT(0);
    barrier();
    switch (OP) {
    case 0: atomicMin(s, x); break;
    case 1: atomicMax(s, x); break;
#ifdef ADD
    case 2: atomicAdd(s, x); break;
#endif
    case 3: atomicExchange(s, FLOAT(7)); break;
    }
    barrier();
    if (gl_LocalInvocationIndex == 0)
        r[gl_WorkGroupID.x] = s;
#else
    uint at = gl_WorkGroupID.x;
    switch (OP) {
    case 0: atomicMin(r[at], x); break;
    case 1: atomicMax(r[at], x); break;
    case 3: atomicExchange(r[at], FLOAT(7)); break;
    }
#endif
}
