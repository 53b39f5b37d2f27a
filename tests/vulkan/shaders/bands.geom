#version 450
/* Each instance draws a band of many triangles: more than a subgroup can hold of all of them. */
layout(points, invocations = 4) in;
layout(triangle_strip, max_vertices = 80) out;
layout(location = 0) out vec4 color;
void main()
{
    for (int i = 0; i < 80; i++) {
        float x = float(i / 2) / 39.0 * 2.0 - 1.0, y = (float(gl_InvocationID) + float(i & 1)) * 0.5 - 1.0;
        gl_Position = vec4(x, y, 0.5, 1);
        color = vec4(gl_InvocationID & 1, gl_InvocationID >> 1, 1, 1);
        EmitVertex();
    }
}
