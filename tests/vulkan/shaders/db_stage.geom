#version 460
#extension GL_EXT_samplerless_texture_functions : require
#define STAGE 3
layout(set = 0, binding = STAGE) uniform Which {
    uvec4 which;
};
layout(set = 1, binding = 0) uniform texture2D colors[8];
vec4 own()
{
    return texelFetch(colors[which.x], ivec2(which.y, 0), 0);
}
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 color[];
layout(location = 0) out vec4 out_color;
void main()
{
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        out_color = color[i] + own();
        EmitVertex();
    }
}
