#version 450
#extension GL_EXT_fragment_shading_rate : require
/* Vertices as they come. WRITES: w of the colour is the shading rate, as a number. */
layout(location = 0) in vec4 position;
layout(location = 1) in vec4 color;
layout(location = 0) out vec4 out_color;
void main()
{
    gl_Position = position;
    gl_PointSize = 9;
    out_color = color;
#ifdef WRITES
    gl_PrimitiveShadingRateEXT = int(color.w);
#endif
}
