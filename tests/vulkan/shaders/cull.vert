#version 450
layout(location = 0) in vec4 in_position;
layout(location = 1) in vec4 in_color;
layout(location = 0) out vec4 color;
out gl_PerVertex {
    vec4 gl_Position;
    float gl_CullDistance[2];
};
void main()
{
    gl_Position = in_position;
    color = vec4(1);
    gl_CullDistance[0] = in_color[0];
    gl_CullDistance[1] = in_color[1];
}
