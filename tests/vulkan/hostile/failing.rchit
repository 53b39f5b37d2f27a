#version 460
#extension GL_EXT_ray_tracing : require
layout(location = 0) rayPayloadInEXT uvec4 told;
void main()
{
    told = uvec4(gl_PrimitiveID);
}
