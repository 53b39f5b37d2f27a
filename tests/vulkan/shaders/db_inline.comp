#version 450
/* Inline blocks before, between and after other descriptors, in two sets. */
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) uniform First {
    uvec4 first;
};
layout(set = 0, binding = 1) buffer Out {
    uvec4 results[];
};
layout(set = 0, binding = 2) uniform Second {
    uvec4 second[16];
};
layout(set = 1, binding = 0) uniform Third {
    uvec4 third[4];
};
layout(push_constant) uniform Push {
    uint which;
};
void main()
{
    uint i = gl_LocalInvocationID.x;
    results[i] = second[i]; /* an index of each lane's own */
    if (i == 0) {
        results[16] = first;
        results[17] = second[which & 15u];
        results[18] = third[which & 3u];
        results[19] = third[3];
    }
}
