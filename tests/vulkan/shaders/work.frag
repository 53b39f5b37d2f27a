#version 460
layout(location = 1) in vec2 halves[2];
layout(location = 0) out vec4 result;
void main()
{
    result = vec4(halves[0], halves[1]);
}
