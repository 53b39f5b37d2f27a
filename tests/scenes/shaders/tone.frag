#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color_out;
layout(binding = 0) uniform sampler2D hdr;
layout(push_constant) uniform Push { float exposure; };

void main()
{
    vec3 x = textureLod(hdr, uv, 0.0).rgb * exposure;
    color_out = vec4(clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0), 1.0);
}
