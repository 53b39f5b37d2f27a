#version 450
/* Levels of two patches come from outside. */
layout(vertices = POINTS) out;
layout(push_constant) uniform Levels {
    vec4 outer[2];
    vec4 inner[2]; /* x and y */
} levels;
void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    if (gl_InvocationID == 0) {
        for (int i = 0; i < 4; i++)
            gl_TessLevelOuter[i] = (gl_PrimitiveID & 1) == 0 ? levels.outer[0][i] : levels.outer[1][i];
        for (int i = 0; i < 2; i++)
            gl_TessLevelInner[i] = (gl_PrimitiveID & 1) == 0 ? levels.inner[0][i] : levels.inner[1][i];
    }
}
