#version 450
layout(triangles) in;
layout(location = 0) in vec4 color[];
layout(location = 1) in uint number[];
layout(location = 0) out vec4 next_color;
layout(location = 1) flat out uint next_number;
void main()
{
    gl_Position = gl_TessCoord.x * gl_in[0].gl_Position + gl_TessCoord.y * gl_in[1].gl_Position +
                  gl_TessCoord.z * gl_in[2].gl_Position;
    next_color = color[0] * gl_TessCoord.x + color[1] * gl_TessCoord.y;
    next_number = number[2];
}
