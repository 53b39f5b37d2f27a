#version 460
// draw 6 1 1 tolerance 0.001
// Lanes that end: by discard, and what helpers see of it.
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 3, std430) buffer Second { uint words[]; } second;
void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    uint lane = at.x + at.y * 16u;
    if ((at.x * 3u + at.y) % 5u == 0u)
        discard;
    atomicAdd(second.words[lane % 64u], lane);
    colour = vec4(gl_FragCoord.xy, float(lane), 1.0);
    if (at.y > 8u) {
        if (lane % 7u == 3u)
            discard;
        second.words[256u + lane] = lane;
    }
}
