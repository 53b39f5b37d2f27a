#version 460
// draw 6 1 4 tolerance 0.01 judge mesa
// Shading by sample: its number, place and mask, and a mask of one's own.
layout(location = 4) sample in vec4 spread;
layout(location = 0) out vec4 colour;
void main()
{
    colour = vec4(float(gl_SampleID), gl_SamplePosition, float(gl_SampleMaskIn[0])) + spread.xyxy * 0.25;
    gl_SampleMask[0] = uint(gl_FragCoord.x) % 3u == 0u ? 5 : 15;
}
