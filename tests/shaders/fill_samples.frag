#version 460
// Fills the image of many samples: each sample has its own colour.
layout(location = 0) out vec4 colour;
void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    colour = vec4(float(gl_SampleID * 64 + 3), float(at.x * 16u), float(at.y * 16u), 255.0) / 255.0;
}
