#version 460
layout(local_size_x = 32) in;
layout(push_constant) uniform P { uvec4 values[8]; };
layout(set = 0, binding = 0) writeonly buffer R { uint r[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x;
    r[i] = values[i >> 2 & 7u][i & 3u] + (i >> 5);
}
