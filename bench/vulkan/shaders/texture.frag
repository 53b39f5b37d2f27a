#version 450
// Turned a little, so that a pixel lies between texels.
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 target;
layout(set = 0, binding = 0) uniform sampler2D image;
void main()
{
    target = texture(image, vec2(color.x * 1.75 + color.y * 0.25, color.y * 1.75 - color.x * 0.25));
}
