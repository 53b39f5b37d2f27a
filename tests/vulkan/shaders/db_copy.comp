#version 450
layout(local_size_x = 64) in;
layout(binding = 0) buffer From {
    uint from[];
};
layout(binding = 1) buffer To {
    uint to[];
};
void main()
{
    uint i = gl_GlobalInvocationID.x;
    if (i < to.length())
        to[i] = from[i];
}
