#version 450
#extension GL_EXT_multiview : require
layout(location = 0) out vec4 color;
void main()
{
    gl_Position = vec4(gl_VertexIndex == 1 ? 1 : -1, gl_VertexIndex == 2 ? 1 : -1, 0.5, 1);
    gl_PointSize = 4;
    color = vec4(gl_ViewIndex + 1) / 16.0;
}
