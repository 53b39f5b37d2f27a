#version 450
layout(location = 0) in vec4 smooth_in;
layout(location = 1) flat in uint flat_in;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) uniform sampler2D image;
void main()
{
    if (smooth_in.a < 0.1)
        discard;
    colour = texture(image, smooth_in.xy) + smooth_in * float(flat_in);
}
