#version 460
// points 1 1 1 tolerance 0.01
// The place within a point.
layout(location = 0) out vec4 colour;
void main()
{
    colour = vec4(gl_PointCoord, gl_FragCoord.xy);
}
