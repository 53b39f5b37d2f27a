#version 450
/* From one kind of primitive to another. */
layout(INPUT) in;
layout(triangle_strip, max_vertices = 4) out;
layout(location = 0) in vec4 in_color[];
layout(location = 0) out vec4 color;
void main()
{
    /* The cell in the middle of the vertices, with as many as there are. */
    vec2 sum = vec2(0);
    for (int i = 0; i < gl_in.length(); i++)
        sum += gl_in[i].gl_Position.xy;
    vec2 cell = floor((sum / float(gl_in.length()) + 1.0) * 4.0);
    for (int i = 0; i < 4; i++) {
        color = vec4(in_color[gl_in.length() - 1].x, float(gl_in.length()) / 255.0, float(gl_PrimitiveIDIn) / 255.0, 1);
        gl_Position = vec4((cell + vec2(i & 1, i >> 1)) * 0.25 - 1.0, 0.5, 1);
        EmitVertex();
    }
}
