#version 460
#extension GL_EXT_buffer_reference : require
// A list in memory, followed by addresses.
layout(local_size_x = 64) in;
layout(buffer_reference) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; uint value; uint pad; };
layout(push_constant) uniform P { Node first; uint count; };
layout(set = 0, binding = 0) writeonly buffer R { uint r[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x, sum = 0;
    Node node = first;
    for (uint n = 0; n <= i % count; n++) {
        sum += node.value;
        node = node.next;
    }
    r[i] = sum;
}
