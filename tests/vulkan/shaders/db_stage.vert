#version 460
#extension GL_EXT_samplerless_texture_functions : require
/* Every stage adds a colour of its own, which it finds by a number of its own. */
#define STAGE 0
layout(set = 0, binding = STAGE) uniform Which {
    uvec4 which;
};
layout(set = 1, binding = 0) uniform texture2D colors[8];
vec4 own()
{
    return texelFetch(colors[which.x], ivec2(which.y, 0), 0);
}
layout(location = 0) out vec4 color;
void main()
{
    gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);
    color = own();
}
