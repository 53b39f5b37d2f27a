#version 450
layout(triangles, invocations = 2) in;
layout(triangle_strip, max_vertices = 6) out;
layout(location = 0) in vec4 smooth_in[];
layout(location = 0) out vec4 smooth_out;
layout(location = 1) flat out uint flat_out;
void main()
{
    for (int i = 0; i < 3; i++) {
        gl_Position = gl_in[i].gl_Position;
        gl_Layer = gl_InvocationID;
        smooth_out = smooth_in[i];
        flat_out = gl_PrimitiveIDIn;
        EmitVertex();
    }
    EndPrimitive();
}
