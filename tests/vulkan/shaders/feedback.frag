#version 450
/* Reads the texel that it writes. */
layout(location = 0) out vec4 out_color;
layout(binding = 0) uniform sampler2D attached;
void main()
{
    out_color = texelFetch(attached, ivec2(gl_FragCoord.xy), 0).gbar * vec4(1, 0.5, 1, 1);
}
