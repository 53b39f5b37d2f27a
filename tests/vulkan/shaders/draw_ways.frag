#version 450
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 out_color;
layout(push_constant) uniform Push {
    layout(offset = 20) float way;
};
/* So long that no compiler computes it in vain. */
vec3 mirrored(vec3 value)
{
    value = 1 - value * way / way;
    value = 1 - value * way / way;
    value = 1 - value * way / way;
    return value;
}
void main()
{
    if (way > 1.5)
        out_color = vec4(1 - mirrored(color.gbr), 1);
    else if (way > 0.5)
        out_color = vec4(mirrored(color.rgb), 1);
    else
        out_color = color;
}
