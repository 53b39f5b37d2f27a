#version 450
/* Vertex i is the pixel i of a picture of 16×16; what its attribute holds goes there. */
layout(location = 0) in TYPE in_value;
layout(location = 0) flat out TYPE value;
void main()
{
    gl_Position = vec4((vec2(gl_VertexIndex & 15, gl_VertexIndex >> 4) + 0.5) / 8 - 1, 0, 1);
    gl_PointSize = 1;
    value = in_value;
}
