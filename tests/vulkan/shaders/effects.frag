#version 450
/* What fragments leave in a buffer. */
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 out_color;
layout(binding = 0) buffer Left {
    uint count;
    uint sum;
    uint places[];
};
void main()
{
    uint at = uint(gl_FragCoord.y) * 64u + uint(gl_FragCoord.x);
    atomicAdd(count, 1u);
    atomicAdd(sum, at);
    places[at] = at * 3u + 1u;
    out_color = color;
}
