#version 450
// As many uniform buffers as there are: a word of each.
layout(local_size_x = 1) in;
layout(constant_id = 0) const uint COUNT = 1u;
layout(binding = 0) uniform Words {
    uvec4 word;
} words[COUNT];
layout(binding = 1) buffer Results {
    uint results[];
};
void main()
{
    for (uint i = 0u; i < COUNT; i++)
        results[i] = words[i].word.x;
}
