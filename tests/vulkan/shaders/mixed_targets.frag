#version 450
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 out_float;
layout(location = 2) out uvec4 out_uint;
layout(location = 3) out ivec4 out_sint;
void main()
{
    out_float = color;
    out_uint = uvec4(1, 2, 300, 4);
    out_sint = ivec4(-1, 2, -300, 4);
}
