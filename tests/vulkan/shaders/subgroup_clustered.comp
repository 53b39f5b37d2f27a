#version 460
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_clustered : require
// Clustered subgroup operations: a module of their own, for not every device has them. Results as in subgroup.comp.
layout(local_size_x = 128) in;
layout(constant_id = 0) const int OP = 0;
layout(set = 0, binding = 0) readonly buffer A { uint a[]; };
layout(set = 0, binding = 1) writeonly buffer R { uvec4 r[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x, x = a[i];
    uint result = OP == 16 ? subgroupClusteredAdd(x, 4u) : subgroupClusteredMax(x, 8u);
    r[i] = uvec4(result, gl_SubgroupInvocationID, gl_SubgroupSize, gl_SubgroupID);
}
