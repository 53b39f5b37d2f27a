#version 450
/* A word of set 0 goes to a place in set 1. */
layout(local_size_x = 1) in;
layout(set = 0, binding = 0) uniform Word {
    uvec4 word;
};
layout(set = 1, binding = 0) buffer Out {
    uint results[];
};
layout(push_constant) uniform Push {
    uint at;
};
void main()
{
    results[at + gl_WorkGroupID.x] = word.y + gl_WorkGroupID.x;
}
