#version 450
/* Lanes that go their own ways: short and long branches in each other, discards in them, and a way of the whole draw. */
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 out_color;
layout(push_constant) uniform Push {
    layout(offset = 20) float way;
};
uint stirred(uint v)
{
    v = v * 1664525u + 1013904223u;
    if ((v & 0x10000u) != 0u)
        v ^= v >> 11;
    else
        v += 77u;
    return v;
}
void main()
{
    uvec2 at = uvec2(gl_FragCoord.xy);
    uint v = at.x * 31u ^ at.y * 17u;
    if ((at.x & 8u) != 0u) { // whole blocks do not come here
        for (int i = 0; i < 6; i++)
            v = stirred(v);
        if ((v & 7u) == 3u)
            discard;
        if (way > 1.5 && (at.y & 1u) != 0u)
            v = stirred(v ^ 5u);
    } else if ((at.y & 2u) != 0u) {
        v += 4096u;
        if (way < 0.5 && (at.x & 3u) == 1u)
            discard;
    } else {
        v = v * v;
    }
    if ((v & 64u) != 0u && way > 0.5)
        v = ~v;
    out_color = vec4(uvec3(v, v >> 8, v >> 16) & 255u, 255) / 255;
}
