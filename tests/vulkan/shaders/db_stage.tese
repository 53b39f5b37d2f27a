#version 460
#extension GL_EXT_samplerless_texture_functions : require
#define STAGE 2
layout(set = 0, binding = STAGE) uniform Which {
    uvec4 which;
};
layout(set = 1, binding = 0) uniform texture2D colors[8];
vec4 own()
{
    return texelFetch(colors[which.x], ivec2(which.y, 0), 0);
}
layout(triangles, ccw) in;
layout(location = 0) in vec4 color[];
layout(location = 0) out vec4 out_color;
void main()
{
    gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;
    out_color = color[0] + own();
}
