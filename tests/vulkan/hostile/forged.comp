#version 450
layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
layout(set = 0, binding = 0) buffer Words
{
    uint words[];
};
layout(push_constant) uniform Push
{
    uint pushed[8];
};
shared uint between[64];
const uint table[16] = uint[](3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3);
void main()
{
    uint own[8], i = gl_LocalInvocationIndex;
    for (uint n = 0; n < 8; n++)
        own[n] = table[(i + n) & 15u] * pushed[n];
    between[i] = own[pushed[1] & 7u];
    barrier();
    words[gl_WorkGroupID.x * 64 + i] = between[63 - i] + gl_NumWorkGroups.x;
}
