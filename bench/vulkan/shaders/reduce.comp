#version 450
// The sum of 4,096 numbers a workgroup: sixteen an invocation, then a tree in shared memory.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer Numbers {
    uint numbers[];
};
layout(set = 0, binding = 1) writeonly buffer Sums {
    uint sums[];
};
shared uint partial[256];

void main()
{
    uint self = gl_LocalInvocationID.x, first = gl_WorkGroupID.x * 4096, sum = 0;
    for (uint i = 0; i < 16; i++)
        sum += numbers[first + i * 256 + self];
    partial[self] = sum;
    barrier();
    for (uint step = 128; step > 0; step /= 2) {
        if (self < step)
            partial[self] += partial[self + step];
        barrier();
    }
    if (self == 0)
        sums[gl_WorkGroupID.x] = partial[0];
}
