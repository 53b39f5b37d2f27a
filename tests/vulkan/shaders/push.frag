#version 450
layout(push_constant) uniform Push {
    vec4 corners[3];
    vec4 color;
};
layout(location = 0) in vec4 vertex_color;
layout(location = 0) out vec4 out_color;
void main()
{
    out_color = vec4(color.xyz, vertex_color.x);
}
