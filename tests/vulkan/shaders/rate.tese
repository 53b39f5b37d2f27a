#version 450
/* The stage that has no say in rates. */
layout(triangles) in;
layout(location = 0) in vec4 color[];
layout(location = 0) out vec4 out_color;
void main()
{
    gl_Position = vec4(0);
    for (int i = 0; i < 3; i++)
        gl_Position += gl_TessCoord[i] * gl_in[i].gl_Position;
    out_color = color[0];
}
