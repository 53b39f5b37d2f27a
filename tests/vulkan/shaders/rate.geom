#version 450
#extension GL_EXT_fragment_shading_rate : require
/* Triangles as they come, each with the rate of its first corner's colour, which the vertex shader has not said. */
layout(triangles) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) in vec4 color[];
layout(location = 0) out vec4 out_color;
void main()
{
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        out_color = color[i];
        gl_PrimitiveShadingRateEXT = int(color[0].w);
        EmitVertex();
    }
}
