#version 460
#extension GL_EXT_mesh_shader : require
/* What the primitive said, and half of what its vertices did. */
layout(location = 0) perprimitiveEXT in vec4 color;
layout(location = 1) in vec4 half_of;
layout(location = 0) out vec4 result;
void main()
{
    result = color + half_of;
}
