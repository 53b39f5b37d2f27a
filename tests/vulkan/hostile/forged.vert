#version 450
layout(location = 0) in vec4 place;
layout(location = 1) in vec4 tint;
layout(location = 0) out vec4 color;
layout(location = 1) flat out uint number;
layout(push_constant) uniform Push
{
    uint words[8];
};
void main()
{
    gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1) + place;
    color = tint + vec4(words[gl_InstanceIndex & 7]);
    number = words[2];
}
