#version 450
layout(local_size_x = 1) in;
layout(binding = 0) uniform First {
    uvec4 first;
};
layout(binding = 1) uniform Second {
    uvec4 second;
};
layout(binding = 2) buffer Third {
    uint third[4];
};
layout(binding = 3) buffer Result {
    uint results[];
};
void main()
{
    results[0] = first.x;
    results[1] = second.w;
    results[2] = third[1];
    third[2] = 4711u;
}
