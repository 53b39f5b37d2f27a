#version 460
#extension GL_EXT_multiview : require
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;
void main()
{
    result = color + vec4(0.0, 0.0, 0.0, gl_ViewIndex == 0 ? 0.4 : 1.0);
}
