#version 450
layout(location = 0) in vec4 colour;
layout(location = 0) out vec4 target;
layout(set = 1, binding = 0) uniform Factor
{
    vec4 factor;
};
void main()
{
    target = colour * factor;
}
