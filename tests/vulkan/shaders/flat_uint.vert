#version 450
layout(location = 0) in vec4 in_position;
layout(location = 1) in vec4 in_color;
layout(location = 0) flat out uvec4 value;
void main()
{
    gl_Position = in_position;
    value = uvec4(in_color * 255.0 + 0.5);
}
