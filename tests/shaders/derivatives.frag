#version 460
// draw 6 1 1 tolerance 0.01
// Derivatives of all kinds: of what is linear over the target and of what is not.
layout(location = 2) noperspective in vec4 straight;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 3, std430) buffer Second { vec4 values[]; } second;
void main()
{
    vec2 at = gl_FragCoord.xy;
    float curve = at.x * at.x * 0.125 + at.x * at.y * 0.25;
    colour = vec4(dFdx(straight.x), dFdy(straight.y), fwidth(at.x * 3.0 - at.y), dFdxFine(curve));
    uint lane = uint(at.x) + uint(at.y) * 16u;
    if (lane < 128u) {
        second.values[lane * 2u] = vec4(dFdyFine(curve), fwidthFine(curve), dFdxCoarse(straight.x * 2.0), dFdyCoarse(straight.y * 0.5));
        second.values[lane * 2u + 1u] = vec4(fwidthCoarse(straight.x + straight.y), dFdx(at.x), dFdy(at));
    }
}
