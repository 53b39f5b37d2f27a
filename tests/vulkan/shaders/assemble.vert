#version 450
/* A vertex that says which one it is. */
layout(location = 0) flat out uvec2 id;
void main()
{
    id = uvec2(gl_VertexIndex, gl_InstanceIndex);
    gl_Position = vec4(0, 0, 0.5, 1);
    gl_PointSize = 1.0;
}
