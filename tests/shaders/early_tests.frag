#version 460
// draw 6 1 1 tolerance 0.0001
#extension GL_GOOGLE_include_directive : require
// Tests come first, then the shader with its effects; depth is written as it was.
layout(early_fragment_tests) in;
layout(depth_unchanged) out float gl_FragDepth;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 3, std430) buffer Second { uint words[]; } second;
void main()
{
    colour = gl_FragCoord;
    gl_FragDepth = gl_FragCoord.z;
    uvec2 at = uvec2(gl_FragCoord.xy);
    atomicAdd(second.words[at.x], at.y);
}
