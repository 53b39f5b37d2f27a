#version 460
// The fragment shader of vertex shaders that are drawn.
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 colour;
void main()
{
    colour = value;
}
