#version 450
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 colour;
layout(location = 0) out vec4 smooth_out;
layout(location = 1) flat out uint flat_out;
layout(push_constant) uniform Push { vec4 offset; } push;
void main()
{
    gl_Position = position + push.offset;
    gl_PointSize = 4.0;
    smooth_out = colour;
    flat_out = gl_InstanceIndex;
}
