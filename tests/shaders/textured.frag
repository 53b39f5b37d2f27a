#version 460

// A texture times an interpolated colour.
layout(location = 0) in vec2 coordinate;
layout(location = 1) in vec4 tint;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) uniform sampler2D image;

void main()
{
    colour = texture(image, coordinate) * tint;
}
