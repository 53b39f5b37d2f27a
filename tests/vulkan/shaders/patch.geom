#version 450
/* After tessellation: triangles as they came, or the invocations' own half of each; the patch's number in blue. */
layout(triangles, invocations = INVOCATIONS) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 color[];
layout(location = 0) out vec4 color_out;
void main()
{
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        color_out = vec4(color[i].xy, float(gl_PrimitiveIDIn & 63) / 255.0, 1);
        if (INVOCATIONS > 1 && (gl_PrimitiveIDIn & 1) != gl_InvocationID)
            gl_Position = vec4(2);
        EmitVertex();
    }
}
