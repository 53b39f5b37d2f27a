#version 460
// An array of push constants, indexed by what is the same for a whole workgroup.
layout(local_size_x = 32) in;
layout(push_constant) uniform P { uvec4 values[8]; };
layout(set = 0, binding = 0) writeonly buffer R { uint r[]; };

void main()
{
    uint group = gl_WorkGroupID.x;
    r[gl_GlobalInvocationID.x] = values[group >> 2][group & 3u] + gl_LocalInvocationID.x;
}
