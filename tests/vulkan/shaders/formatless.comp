#version 460
#extension GL_EXT_shader_image_load_formatted : require
/* Images of whatever format: a texel goes from one to the other. */
layout(local_size_x = 8, local_size_y = 8) in;
layout(binding = 0) uniform image2D source;
layout(binding = 1) writeonly uniform image2D destination;
void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    imageStore(destination, at, imageLoad(source, at).wxyz);
}
