#version 460
// draw 6 1 1 tolerance 0.0001
#extension GL_GOOGLE_include_directive : require
// Depth that only shrinks; the second source of blending, which nothing blends with.
layout(depth_less) out float gl_FragDepth;
layout(location = 0, index = 0) out vec4 colour;
layout(location = 0, index = 1) out vec4 unused;
void main()
{
    colour = gl_FragCoord;
    unused = vec4(0.5);
    gl_FragDepth = gl_FragCoord.z * 0.5;
}
