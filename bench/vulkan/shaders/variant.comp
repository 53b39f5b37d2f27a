#version 450
// A small kernel of which every specialization constant makes another one: a loop, branches, shared memory.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint variant = 0;
layout(set = 0, binding = 0) writeonly buffer Results {
    uint results[];
};
shared uint values[64];

void main()
{
    uint self = gl_LocalInvocationID.x, x = gl_GlobalInvocationID.x ^ variant * 0x9e3779b9u;
    for (uint i = 0; i < (variant & 3) + 2; i++)
        x = ((x & 1) != 0 ? (x >> 1) * 0x85ebca6bu : x ^ (x << 13)) + i;
    values[self] = x;
    barrier();
    uint near = values[(self + 1) & 63], far = values[(self + variant) & 63];
    results[gl_GlobalInvocationID.x] = near < far ? near + x * 3 : far ^ (x >> 5);
}
