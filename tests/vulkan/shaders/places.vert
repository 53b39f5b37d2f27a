#version 450
#extension GL_ARB_shader_draw_parameters : require
/* A vertex is the pixel at its index (x) and instance (y) of a picture of 16×16, and tells what it is. */
layout(location = 0) flat out uvec4 value;
void main()
{
    gl_Position = vec4((vec2(gl_VertexIndex & 15, gl_InstanceIndex & 15) + 0.5) / 8 - 1, 0, 1);
    gl_PointSize = 1;
    value = uvec4(gl_VertexIndex, gl_InstanceIndex, gl_BaseVertexARB * 256 + gl_BaseInstanceARB, gl_DrawIDARB + 1);
}
