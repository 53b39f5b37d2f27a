#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 1) buffer Data { uint words[]; } data;
layout(push_constant) uniform Push { uint add; } push;
shared uint scratch[64];
void main()
{
    scratch[gl_LocalInvocationIndex] = data.words[gl_GlobalInvocationID.x];
    barrier();
    data.words[gl_GlobalInvocationID.x] = scratch[63 - gl_LocalInvocationIndex] + push.add + gl_NumWorkGroups.x;
}
