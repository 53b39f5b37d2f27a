#version 450
// A level by the length of each edge, so that neighbours agree on it.
layout(vertices = 4) out;
layout(location = 0) in vec4 color_in[];
layout(location = 0) out vec4 color[];

float level(int from, int to)
{
    return distance(gl_in[from].gl_Position.xy, gl_in[to].gl_Position.xy) * 124.0;
}

void main()
{
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    color[gl_InvocationID] = color_in[gl_InvocationID];
    if (gl_InvocationID == 0) {
        gl_TessLevelOuter[0] = level(0, 2);
        gl_TessLevelOuter[1] = level(0, 1);
        gl_TessLevelOuter[2] = level(1, 3);
        gl_TessLevelOuter[3] = level(2, 3);
        gl_TessLevelInner[0] = level(0, 1);
        gl_TessLevelInner[1] = level(0, 2);
    }
}
