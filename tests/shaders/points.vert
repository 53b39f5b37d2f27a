#version 460
// points 64 1 1 tolerance 0.01
// Points: their size, and the place within one. The layer is chosen by the vertex, too.
#extension GL_ARB_shader_viewport_layer_array : require
layout(location = 0) in vec4 floats;
layout(location = 0) out vec4 value;
void main()
{
    gl_Position = vec4((float(gl_VertexIndex % 8) - 3.5) / 4.0, (float(gl_VertexIndex / 8 % 8) - 3.5) / 4.0, 0.5, 1.0);
    gl_PointSize = 1.0 + float(gl_VertexIndex % 2);
    gl_Layer = gl_VertexIndex % 4;
    value = floats;
}
