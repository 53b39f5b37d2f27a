#version 460
#extension GL_EXT_nonuniform_qualifier : require
/* An array of as many buffers as the set has. */
layout(local_size_x = 64) in;
layout(binding = 0) buffer Out {
    uint results[];
};
layout(push_constant) uniform Push {
    uint count;
};
layout(binding = 1) buffer Storage {
    uint words[];
} storages[];
void main()
{
    uint i = gl_LocalInvocationID.x;
    results[i] = storages[nonuniformEXT(i * 7u % count)].words[i & 3u];
}
