#version 460
// draw 6 1 1 tolerance 0.001
#extension GL_EXT_terminate_invocation : require
// Lanes that end at once.
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 3, std430) buffer Second { uint words[]; } second;
void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    uint lane = at.x + at.y * 16u;
    for (uint i = 0u; i < 4u; i++) {
        if ((at.x + at.y * i) % 7u == 3u)
            terminateInvocation;
        atomicAdd(second.words[i * 64u + lane % 64u], lane + 1u);
    }
    colour = vec4(gl_FragCoord.xy, float(lane), 2.0);
}
