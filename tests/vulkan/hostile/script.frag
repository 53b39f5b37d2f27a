#version 450
layout(location = 0) out vec4 result;
layout(push_constant) uniform Push
{
    uint color;
};
void main()
{
    result = unpackUnorm4x8(color);
}
