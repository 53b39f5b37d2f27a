#version 450
// Colours by location, or what an attachment of the same rendering holds.
#if defined(ARRAY)
layout(location = 0) out vec4 colors[3];
#elif defined(READ)
layout(input_attachment_index = READ, binding = 0) uniform subpassInput attached;
layout(location = 0) out vec4 color;
#else
layout(location = 0) out vec4 color;
layout(location = 1) out vec4 second;
layout(location = 2) out vec4 third;
#endif
void main()
{
#if defined(ARRAY)
    colors[0] = vec4(0.2, 0, 0, 1);
    colors[1] = vec4(0, 0.4, 0, 1);
    colors[2] = vec4(0, 0, 0.6, 1);
#elif defined(DEPTH)
    color = vec4(1 - subpassLoad(attached).x);
#elif defined(READ)
    color = 1 - subpassLoad(attached);
#else
    color = vec4(0.2, 0, 0, 1);
    second = vec4(0, 0.4, 0, 1);
    third = vec4(0, 0, 0.6, 1);
#endif
}
