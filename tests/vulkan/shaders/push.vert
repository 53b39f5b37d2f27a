#version 450
layout(push_constant) uniform Push {
    vec4 corners[3];
    vec4 color;
    float more[4];
};
layout(location = 0) out vec4 vertex_color;
void main()
{
    // Push constants may only be indexed by what is the same for all invocations.
    int i = gl_VertexIndex;
    gl_Position = i == 0 ? corners[0] : i == 1 ? corners[1] : corners[2];
    vertex_color = vec4(i == 0 ? more[0] : i == 1 ? more[1] : more[2]);
}
