#version 450
/* A vertex is the pixel at its index (x) and instance (y) of a picture of 16×16, and shows attributes of three rates. */
layout(location = 0) in uint by_vertex;
layout(location = 1) in uint by_instance;
layout(location = 2) in uint by_divisor;
layout(location = 0) flat out uvec4 value;
void main()
{
    gl_Position = vec4((vec2(gl_VertexIndex & 15, gl_InstanceIndex & 15) + 0.5) / 8 - 1, 0, 1);
    gl_PointSize = 1;
    value = uvec4(by_vertex, by_instance, by_divisor, gl_InstanceIndex + 1);
}
