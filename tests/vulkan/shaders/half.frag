#version 450
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types_float16 : require
layout(constant_id = 0) const int WHAT = 0;
layout(location = 0) in f16vec4 color;
layout(location = 1) noperspective in f16vec2 linear;
layout(location = 2) flat in f16vec2 constant;
layout(location = 0) out vec4 out_color;
void main()
{
    out_color = WHAT == 0 ? vec4(color) : WHAT == 1 ? vec4(linear, 0, 1) : vec4(constant, 0, 1);
}
