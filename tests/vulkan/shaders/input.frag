#version 450
layout(input_attachment_index = 0, binding = 0) uniform subpassInput attached;
layout(location = 0) out vec4 out_color;
void main()
{
    out_color = 1 - subpassLoad(attached);
}
