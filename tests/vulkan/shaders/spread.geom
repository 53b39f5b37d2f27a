#version 450
/* Each triangle twice, at half its size: red on the left, green on the right. */
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 0) in vec4 in_color[];
layout(location = 0) out vec4 color;
void main()
{
    for (int twice = 0; twice < 2; twice++) { /* the first of them is nothing */
        for (int i = 0; i < 3; i++) {
            float place = gl_InvocationID == 0 ? -0.5 : 0.5;
            gl_Position = vec4(gl_in[i].gl_Position.xy * (twice == 0 ? 0.0 : 0.5) + vec2(place, 0), 0.5, 1);
            color = in_color[i] * (gl_InvocationID == 0 ? vec4(1, 0, 0, 1) : vec4(0, 1, 0, 1));
            EmitVertex();
        }
        EndPrimitive();
    }
}
