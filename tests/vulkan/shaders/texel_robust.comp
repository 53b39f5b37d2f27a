#version 460
layout(local_size_x = 64) in;
layout(binding = 0, r32ui) uniform uimageBuffer source;
layout(binding = 1) buffer Out { uvec4 r[]; };
void main()
{
    int at = int(gl_GlobalInvocationID.x) - 16;
    if (at < 0 || at >= 5)
        imageStore(source, at, uvec4(123));
    r[gl_GlobalInvocationID.x] = imageLoad(source, at);
}
