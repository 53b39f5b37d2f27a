#version 460
/* The same instructions in every workgroup; a loop runs as often as push constants say. */
layout(local_size_x = 64) in;
layout(push_constant) uniform P { uint rounds; };
layout(set = 0, binding = 0) writeonly buffer R { uint r[]; };

void main()
{
    uint value = gl_GlobalInvocationID.x;
    for (uint i = 0; i < rounds; i++)
        value = value * 1664525u + 1013904223u;
    r[gl_GlobalInvocationID.x] = value;
}
