#version 460
#extension GL_EXT_samplerless_texture_functions : require
#define STAGE 1
layout(set = 0, binding = STAGE) uniform Which {
    uvec4 which;
};
layout(set = 1, binding = 0) uniform texture2D colors[8];
vec4 own()
{
    return texelFetch(colors[which.x], ivec2(which.y, 0), 0);
}
layout(vertices = 3) out;
layout(location = 0) in vec4 color[];
layout(location = 0) out vec4 out_color[];
void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    out_color[gl_InvocationID] = color[gl_InvocationID] + own();
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelInner[0] = 1;
}
