#version 450
layout(vertices = 3) out;
layout(location = 0) in vec4 smooth_in[];
layout(location = 0) out vec4 smooth_out[];
void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    smooth_out[gl_InvocationID] = smooth_in[gl_InvocationID];
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = 4.0;
    gl_TessLevelInner[0] = 4.0;
}
