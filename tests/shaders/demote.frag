#version 460
// draw 6 1 1 tolerance 0.001 judge mesa
#extension GL_EXT_demote_to_helper_invocation : require
// Lanes that become helpers: they write nothing, derivatives go on, and they know what they are.
layout(location = 2) noperspective in vec4 straight;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 3, std430) buffer Second { uint words[]; } second;
void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    uint lane = at.x + at.y * 16u;
    bool before = helperInvocationEXT();
    if (at.x % 4u == 1u && at.y % 4u != 2u)
        demote;
    float slope = dFdxFine(straight.x);
    bool after = helperInvocationEXT();
    // Told by a neighbour: a helper itself cannot.
    float told = dFdxFine(after ? 1.0 : 0.0);
    second.words[lane] = before || after ? 1u : 2u;
    colour = vec4(slope, told, float(lane), gl_HelperInvocation ? 1.0 : 0.0);
}
