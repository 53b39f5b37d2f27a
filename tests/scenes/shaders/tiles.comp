#version 450
// A draw for each tile of 5 x 4 quads of the flag, in whatever order they come; the pole's places stay free.
layout(local_size_x = 48) in;
struct Draw { uint indices, instances, first_index; int vertex_offset; uint first_instance; };
layout(std430, binding = 0) buffer Draws { uint count; uint pad[3]; Draw draws[48]; };

void main()
{
    uint tile = gl_LocalInvocationID.x;
    if (tile >= 48u)
        return;
    uint at = atomicAdd(count, 1u);
    draws[at] = Draw(5u * 4u * 6u, 1u, 0u, int((tile / 8u) * 4u * 41u + (tile % 8u) * 5u), tile);
}
