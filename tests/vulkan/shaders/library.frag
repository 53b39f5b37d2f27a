#version 450
/* Adds what stands in sets 1 and 3 to the colour. */
layout(set = 1, binding = 0) uniform First { vec4 first; };
layout(set = 1, binding = 1) readonly buffer Second { vec4 second; };
layout(set = 3, binding = 0) uniform Third { vec4 third; };
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 result;
void main()
{
    result = color * first + second + third;
}
