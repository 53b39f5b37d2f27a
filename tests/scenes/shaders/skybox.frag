#version 450
layout(location = 0) in vec3 direction;
layout(location = 0) out vec4 color_out;
layout(binding = 1) uniform samplerCube sky;

void main()
{
    vec3 x = texture(sky, direction).rgb;
    color_out = vec4(clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0), 1.0);
}
