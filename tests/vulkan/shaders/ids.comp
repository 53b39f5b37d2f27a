#version 460
// Every built-in id of a dispatch, written where the flat index says.
layout(local_size_x_id = 0, local_size_y_id = 1, local_size_z_id = 2) in;
layout(set = 0, binding = 0) writeonly buffer R { uvec4 r[]; };

void main()
{
    uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
    uvec3 id = gl_GlobalInvocationID;
    uint at = (id.z * size.y + id.y) * size.x + id.x;
    r[at] = uvec4(id.x | id.y << 10 | id.z << 20, gl_WorkGroupID.x | gl_WorkGroupID.y << 10 | gl_WorkGroupID.z << 20,
                  gl_LocalInvocationID.x | gl_LocalInvocationID.y << 10 | gl_LocalInvocationID.z << 20, gl_LocalInvocationIndex);
}
