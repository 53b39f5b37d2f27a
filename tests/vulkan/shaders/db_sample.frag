#version 450
/* The left half by one sampler, the right half by another. */
layout(set = 0, binding = 0) uniform texture2D image;
layout(set = 1, binding = 0) uniform sampler nearest;
layout(set = 1, binding = 1) uniform sampler linear;
layout(location = 0) out vec4 out_color;
void main()
{
    if (gl_FragCoord.x < 8)
        out_color = textureLod(sampler2D(image, nearest), vec2(0.375, 0.5), 0);
    else
        out_color = textureLod(sampler2D(image, linear), vec2(0.375, 0.5), 0);
}
