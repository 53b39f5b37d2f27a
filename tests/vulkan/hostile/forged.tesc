#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 color[];
layout(location = 1) flat in uint number[];
layout(location = 0) out vec4 next_color[];
layout(location = 1) out uint next_number[];
void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    next_color[gl_InvocationID] = color[gl_InvocationID];
    next_number[gl_InvocationID] = number[gl_InvocationID];
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 2;
    gl_TessLevelInner[0] = 2;
}
