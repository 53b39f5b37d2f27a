#version 450
/* A vertex shader with effects: what it was asked for, and how often. */
layout(binding = 0) buffer Left {
    uint count;
    uint sum;
    uint words[];
};
void main()
{
    uint at = uint(gl_InstanceIndex) * 100u + uint(gl_VertexIndex);
    atomicAdd(count, 1u);
    atomicAdd(sum, at);
    words[at] = at * 5u + 2u;
    gl_Position = vec4(0.5, 0.5, 0, 1);
    gl_PointSize = 1.0;
}
