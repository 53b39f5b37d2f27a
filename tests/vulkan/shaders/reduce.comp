#version 460
// A tree in shared memory: every step is after a barrier.
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint SIZE = 256;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer R { uint r[]; };
shared uint s[1024];

void main()
{
    uint lane = gl_LocalInvocationID.x;
    s[lane] = a[gl_GlobalInvocationID.x];
    for (uint step = SIZE / 2u; step > 0u; step >>= 1) {
        barrier();
        if (lane < step)
            s[lane] += s[lane + step];
    }
    if (lane == 0u)
        r[gl_WorkGroupID.x] = s[0];
}
