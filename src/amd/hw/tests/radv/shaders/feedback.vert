#version 450
layout(location = 0) in vec4 position;
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) out vec4 smooth_out;
layout(location = 1) flat out uint flat_out;
void main()
{
    gl_Position = position;
    smooth_out = position;
    flat_out = 0;
}
