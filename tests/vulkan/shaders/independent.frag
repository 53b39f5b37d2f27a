#version 450
/* One colour for four targets. */
layout(location = 0) out vec4 colors[4];
void main()
{
    for (int i = 0; i < 4; i++)
        colors[i] = vec4(0.2, 0.2, 0.4, 0.2);
}
