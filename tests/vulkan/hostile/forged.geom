#version 450
layout(triangles) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 0) in vec4 color[];
layout(location = 1) flat in uint number[];
layout(location = 0) out vec4 next_color;
layout(location = 1) flat out uint next_number;
void main()
{
    for (int i = 0; i < 6; i++) {
        gl_Position = gl_in[i % 3].gl_Position;
        next_color = color[i % 3];
        next_number = number[i % 3];
        EmitVertex();
        if (i == 2)
            EndPrimitive();
    }
}
