#version 450
#ifdef BINDLESS
#extension GL_EXT_nonuniform_qualifier : require
layout(binding = 0) uniform sampler2D pictures[];
#else
layout(binding = 0) uniform sampler2D pictures[24];
#endif
layout(location = 0) in vec2 uv;
layout(location = 1) flat in int card;
layout(location = 2) in float light;
layout(location = 0) out vec4 color_out;

// Which picture is another for every quarter of a card: the lanes of a wave disagree.
vec4 look(int which, vec2 at, vec2 dx, vec2 dy)
{
#ifdef BINDLESS
    return textureGrad(pictures[nonuniformEXT(which)], at, dx, dy);
#else
    switch (which) {
#define CASE(n) case n: return textureGrad(pictures[n], at, dx, dy);
    CASE(0) CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8) CASE(9) CASE(10) CASE(11)
    CASE(12) CASE(13) CASE(14) CASE(15) CASE(16) CASE(17) CASE(18) CASE(19) CASE(20) CASE(21) CASE(22) CASE(23)
    }
    return vec4(0.0);
#endif
}

void main()
{
    vec2 dx = dFdx(uv), dy = dFdy(uv);
    ivec2 quarter = ivec2(uv * 2.0);
    int which = (card + (card % 5 == 2 ? 7 * quarter.x + 11 * quarter.y : 0)) % 24;
    vec2 edge = min(uv, 1.0 - uv);
    float frame = smoothstep(0.035, 0.05, min(edge.x, edge.y * 1.3));
    vec3 color = look(which, uv, dx, dy).rgb;
    color_out = vec4(mix(vec3(0.32, 0.24, 0.13), color, frame) * light, 1.0);
}
