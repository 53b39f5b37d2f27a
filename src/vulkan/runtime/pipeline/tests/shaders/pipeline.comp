#version 450
layout(local_size_x_id = 0) in;
layout(set = 0, binding = 0) buffer Words
{
    uint words[];
};
layout(push_constant) uniform Push
{
    uint value;
};
layout(constant_id = 1) const uint added = 3;
void main()
{
    words[gl_GlobalInvocationID.x] = value + added;
}
