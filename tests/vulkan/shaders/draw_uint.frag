#version 450
layout(location = 1) flat in vec4 flat_color;
layout(location = 0) out uvec4 out_color;
void main()
{
    out_color = uvec4(flat_color * 255.0 + 0.5);
}
