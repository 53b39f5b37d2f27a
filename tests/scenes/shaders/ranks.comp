#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
// Sums of all counts up to each, by subgroups of whatever size.
layout(local_size_x = 256) in;
layout(std430, binding = 0) readonly buffer Counts { uint counts[256]; };
layout(std430, binding = 1) writeonly buffer Ranks { uint ranks[256]; };
shared uint totals[256];

void main()
{
    uint bin = gl_SubgroupID * gl_SubgroupSize + gl_SubgroupInvocationID;
    uint sum = subgroupInclusiveAdd(counts[bin]);
    if (gl_SubgroupInvocationID == gl_SubgroupSize - 1u)
        totals[gl_SubgroupID] = sum;
    barrier();
    for (uint i = 0u; i < gl_SubgroupID; i++)
        sum += totals[i];
    ranks[bin] = sum;
}
