#version 450
/* Attributes from the second location on are an array, read at numbers that are known. */
#define COUNT 15
layout(location = 0) in vec4 in_position;
layout(location = 1) in vec4 in_values[COUNT];
layout(location = 0) out vec4 color;
void main()
{
    gl_Position = in_position;
    color = vec4(0);
    for (int i = 0; i < COUNT; i++)
        color += in_values[i] * float(i + 1);
    color /= float(COUNT * (COUNT + 1) / 2);
}
