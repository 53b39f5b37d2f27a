#version 450
layout(location = 0) in vec4 color;
layout(location = 0, index = 0) out vec4 out_color;
layout(location = 0, index = 1) out vec4 out_second;
void main()
{
    out_color = color;
    out_second = vec4(0.5, 0.25, 0.75, 0.125);
}
