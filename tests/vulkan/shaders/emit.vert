#version 450
/* A number for the geometry shaders that are captured (strips.geom, streams.geom). */
layout(location = 0) flat out uint id;

void main()
{
    id = uint(gl_VertexIndex) + 1000 * uint(gl_InstanceIndex);
    gl_Position = vec4(0, 0, 0, 1);
    gl_PointSize = 1;
}
