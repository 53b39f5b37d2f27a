#version 460
/* Texels that pixels of one wave read by different ways: the first picture says which way a pixel takes. */
layout(constant_id = 0) const int WHAT = 0;
layout(location = 0) out vec4 out_color;
layout(binding = 0) uniform usampler2D ways;
layout(binding = 1) uniform sampler2D a;
layout(binding = 2) uniform sampler2D b;
layout(binding = 3) uniform sampler2D c;
layout(binding = 4) uniform Places
{
    ivec4 near, far;
} places;

vec4 both(uint way, ivec2 at)
{
    if ((way & 1u) != 0u)
        return texelFetch(a, (at + places.near.xy) & 63, 0);
    return texelFetch(b, (at + places.far.xy) & 63, 0);
}

vec4 nested(uint way, ivec2 at)
{
    vec4 color = vec4(0.0);
    if ((way & 1u) != 0u) {
        color = texelFetch(a, at, 0);
        if ((way & 2u) != 0u)
            color = texelFetch(b, (at + places.near.zw) & 63, 0).wzyx;
        else
            color = color.yxwz;
    } else if ((way & 4u) != 0u) {
        color = texelFetch(c, (at + places.far.zw) & 63, 0);
    }
    return color;
}

vec4 after(uint way, ivec2 at)
{
    ivec2 place = at;
    if ((way & 1u) != 0u)
        place = ivec2(texelFetch(a, (at + places.near.xy) & 63, 0).xy * 63.0 + 0.5);
    return texelFetch(b, place, 0);
}

vec4 killed(uint way, ivec2 at)
{
    vec4 color;
    if ((way & 1u) != 0u) {
        if ((way & 2u) != 0u)
            discard;
        color = texelFetch(a, (at + places.near.xy) & 63, 0);
    } else {
        color = texelFetch(b, (at + places.far.xy) & 63, 0);
    }
    return 0.5 * color + 0.5 * texelFetch(c, at, 0);
}

vec4 turns(uint way, ivec2 at)
{
    vec4 color = vec4(0.0);
    for (int i = 0; i < int(way & 3u); i++)
        color += 0.25 * texelFetch(a, (at + i * places.near.xy) & 63, 0);
    return color;
}

vec4 again(uint way, ivec2 at)
{
    vec4 color = 0.25 * texelFetch(a, at, 0);
    if ((way & 1u) != 0u)
        color += 0.25 * texelFetch(a, (at + places.near.xy) & 63, 0) + 0.25 * texelFetch(b, at, 0);
    return color + 0.25 * texelFetch(a, (at + places.far.xy) & 63, 0);
}

void main()
{
    const ivec2 at = ivec2(gl_FragCoord.xy);
    const uint way = texelFetch(ways, at, 0).x;
    if (WHAT == 0)
        out_color = both(way, at);
    else if (WHAT == 1)
        out_color = nested(way, at);
    else if (WHAT == 2)
        out_color = after(way, at);
    else if (WHAT == 3)
        out_color = killed(way, at);
    else if (WHAT == 4)
        out_color = turns(way, at);
    else
        out_color = again(way, at);
}
