#version 450
/* Which vertices each primitive has: nothing is drawn. The count of a primitive's invocations, then its vertices. */
layout(INPUT) in;
layout(triangle_strip, max_vertices = 3) out;
layout(location = 0) flat in uvec2 id[];
layout(push_constant) uniform Push {
    uint per_instance;
};
layout(binding = 0) buffer Seen {
    uint words[];
};
void main()
{
    uint at = (id[0].y * per_instance + uint(gl_PrimitiveIDIn)) * 8u;
    atomicAdd(words[at], 1u);
    for (int i = 0; i < gl_in.length(); i++)
        words[at + 1u + uint(i)] = id[i].x;
}
