#version 460
layout(local_size_x = 1) in;
layout(binding = 0) buffer R { uint r[]; };
void main()
{
    atomicAdd(r[gl_WorkGroupID.x + 8 * gl_WorkGroupID.y], 1);
}
