#version 450
// Where a balloon is and what colours it has lie in texel buffers; its band of the sky in a block with a dynamic offset.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec3 world_out;
layout(location = 1) out vec3 normal_out;
layout(location = 2) out vec2 uv_out;
layout(location = 3) flat out vec4 colors_out[2];
layout(binding = 0) uniform Band
{
    mat4 clip;
    vec4 haze;
};
layout(binding = 1) uniform samplerBuffer places;
layout(binding = 2) uniform samplerBuffer colors;

void main()
{
    vec4 place = texelFetch(places, gl_InstanceIndex);
    world_out = place.xyz + position * place.w;
    normal_out = normal;
    uv_out = uv;
    colors_out[0] = texelFetch(colors, gl_InstanceIndex * 2);
    colors_out[1] = texelFetch(colors, gl_InstanceIndex * 2 + 1);
    gl_Position = clip * vec4(world_out, 1.0);
}
