#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform Inline {
    uvec4 words[4];
};
layout(binding = 1) buffer Result {
    uvec4 results[];
};
layout(push_constant) uniform Push {
    int which;
};
void main()
{
    results[0] = words[0];
    results[1] = words[3];
    results[2] = words[which & 3];
}
