#version 450
/* The triangle between the adjacent vertices. */
layout(triangles_adjacency) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 in_color[];
layout(location = 0) out vec4 color;
void main()
{
    for (int i = 1; i < 6; i += 2) {
        gl_Position = gl_in[i].gl_Position;
        color = in_color[i];
        EmitVertex();
    }
}
