#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(location = 0) in vec4 in_position;
layout(location = 1) in vec4 in_color;
layout(location = 0) out f16vec4 color;
layout(location = 1) noperspective out f16vec2 linear;
layout(location = 2) flat out f16vec2 constant;
void main()
{
    gl_Position = in_position;
    color = f16vec4(in_color);
    linear = f16vec2(in_color.yz);
    constant = f16vec2(in_color.xw);
}
