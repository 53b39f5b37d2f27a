#version 450
layout(triangles, equal_spacing, cw) in;
layout(location = 0) in vec4 smooth_in[];
layout(location = 0) out vec4 smooth_out;
layout(location = 1) flat out uint flat_out;
void main()
{
    gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position + gl_TessCoord.z * gl_in[2].gl_Position;
    smooth_out = smooth_in[0];
    flat_out = 1;
}
