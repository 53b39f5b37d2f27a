#version 460
// A third of the pixels, by walks through a texel buffer whose size is asked for at each step.
layout(set = 0, binding = 0, r32ui) uniform readonly uimageBuffer numbers;
layout(push_constant) uniform Push {
    uint third, steps;
};
layout(location = 0) out uvec4 color;

void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    if ((at.x + at.y) % 3u != third)
        discard;
    uint value = at.y * 256u + at.x;
    for (uint i = 0u; i < steps; i++)
        value = imageLoad(numbers, int(value % uint(imageSize(numbers)))).x;
    color = uvec4(value);
}
