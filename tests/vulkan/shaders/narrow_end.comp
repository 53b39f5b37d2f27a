#version 460
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Bytes of which an invocation has eleven: drivers load them as dwords, and the last of these lie across the buffer's end.
layout(local_size_x = 64) in;

struct Eleven {
    uint8_t bytes[11];
};

layout(set = 0, binding = 0, std430) readonly buffer A { Eleven a[]; };
layout(set = 0, binding = 1, std430) buffer R { uint r[]; };

void main()
{
    uint i = gl_GlobalInvocationID.x, sum = 0u;
    if (i >= uint(a.length()))
        return;
    Eleven own = a[i];
    for (uint n = 0u; n < 11u; n++)
        sum = sum * 7u + uint(own.bytes[n]);
    r[i] = sum;
}
