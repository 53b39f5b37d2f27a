#version 450
layout(location = 0) out vec4 colour;
layout(constant_id = 0) const float depth = 0.5;
void main()
{
    gl_Position = vec4(float(gl_VertexIndex & 1), float(gl_VertexIndex >> 1), depth, 1.0);
    colour = gl_Position;
}
