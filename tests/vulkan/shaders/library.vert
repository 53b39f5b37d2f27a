#version 450
/* Places and colours of buffers in sets 0 and 2, which the fragment shader knows nothing of. */
layout(set = 0, binding = 0) uniform Scale { vec4 scale; };
layout(set = 2, binding = 0) uniform Offset { vec4 offset; };
layout(set = 2, binding = 1) uniform Tint { vec4 tint; };
layout(location = 0) in vec4 in_position;
layout(location = 1) in vec4 in_color;
layout(location = 0) out vec4 color;
void main()
{
    gl_Position = in_position * scale + offset;
    color = in_color * tint;
}
