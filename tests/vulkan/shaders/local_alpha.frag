#version 450
// Two colours, of which one is opaque: the first, or the second.
layout(constant_id = 0) const int WHICH = 0;
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
void main()
{
    first = vec4(0.2, 0.4, 0.6, 1 - WHICH);
    second = vec4(0.8, 0, 0.2, WHICH);
}
