#version 450
/* Arrays of buffers, and several sets. */
layout(local_size_x = 4) in;
layout(set = 0, binding = 0) uniform Uniform {
    uvec4 word;
} uniforms[4];
layout(set = 0, binding = 1) buffer Storage {
    uint words[];
} storages[4];
layout(set = 1, binding = 0) buffer Result {
    uint results[];
};
layout(set = 3, binding = 2) uniform More {
    uvec4 more;
};
layout(constant_id = 0) const int rotate = 0;
void main()
{
    uint i = gl_LocalInvocationID.x;
    for (int k = 0; k < 4; k++) { /* the same index for all */
        int at = (k + rotate) & 3;
        if (i == 0)
            results[k] = uniforms[at].word.y;
        if (i == 1)
            results[4 + k] = storages[at].words[at];
    }
    results[8 + i] = more[i];
    storages[2].words[8 + i] = 70 + i;
}
