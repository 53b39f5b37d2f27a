#version 450
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 target;
layout(set = 0, binding = 0) uniform sampler2D image;
void main()
{
    target = texture(image, color.xy * 2.0);
}
