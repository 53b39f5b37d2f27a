#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
#extension GL_ARB_gpu_shader_int64 : require
#include "common.glsl"

// A list of nodes at addresses.
// run 1 1 1
layout(local_size_x = 64) in;

layout(buffer_reference, std430, buffer_reference_align = 4) buffer Node {
    uint value, next;
};

void main()
{
    uint64_t base = packUint2x32(push.address);
    Node node = Node(base + ID * 8ul);
    uint sum = 0u;
    for (uint i = 0u; i < 10u; i++) {
        sum += node.value;
        node = Node(base + uint64_t(node.next & 0x7fu) * 8ul);
    }
    put(ID, sum);
}
