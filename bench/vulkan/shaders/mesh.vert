#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color_in;
layout(location = 0) out vec4 color;
void main()
{
    gl_Position = position;
    color = color_in;
}
