#version 450
layout(location = 0) in vec4 color;
layout(location = 1) flat in uint number;
layout(location = 0) out vec4 result;
layout(set = 0, binding = 0) buffer Words
{
    uint words[];
};
layout(push_constant) uniform Push
{
    uint pushed[8];
};
void main()
{
    float array[16];
    for (int i = 0; i < 16; i++)
        array[i] = color.x * float(i);
    if (color.w > 1e30)
        discard;
    result = color + dFdx(color) + vec4(array[pushed[0] & 15u]) + vec4(words[number & 15u]);
}
