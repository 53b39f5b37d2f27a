#version 450
// One triangle over the whole screen, without input.
layout(location = 0) out vec4 color;
void main()
{
    vec2 place = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    gl_Position = vec4(place * 4.0 - 1.0, 0.5, 1.0);
    color = vec4(place * 2.0, 0.25, 1.0);
}
