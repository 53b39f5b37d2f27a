#version 450
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color_out;
layout(push_constant) uniform Colors { vec4 top, bottom; };

void main()
{
    float far = distance(uv, vec2(0.5, 0.45));
    color_out = vec4(mix(top.rgb, bottom.rgb, smoothstep(0.0, 1.0, uv.y)) * (1.15 - 0.7 * far), 1.0);
}
