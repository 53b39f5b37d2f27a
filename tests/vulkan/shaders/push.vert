#version 450
layout(push_constant) uniform Push {
    vec4 corners[3];
    vec4 color;
    float more[4];
};
layout(location = 0) out vec4 vertex_color;
void main()
{
    gl_Position = corners[gl_VertexIndex];
    vertex_color = vec4(more[gl_VertexIndex]);
}
