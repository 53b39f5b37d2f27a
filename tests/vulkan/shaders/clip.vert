#version 450
layout(location = 0) in vec4 in_position;
layout(location = 1) in vec4 in_color;
layout(location = 0) out vec4 color;
out gl_PerVertex {
    vec4 gl_Position;
    float gl_ClipDistance[4];
};
/* The components of the colour are the distances. */
void main()
{
    gl_Position = in_position;
    color = vec4(1);
    for (int i = 0; i < 4; i++)
        gl_ClipDistance[i] = in_color[i];
}
