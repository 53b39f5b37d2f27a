#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Nine bicubic samples of an image, 3x3 around each point.
// run 2 2 1 tolerance 1e-3
layout(local_size_x = 8, local_size_y = 8) in;

float texel(ivec2 p)
{
    p = clamp(p, ivec2(0), ivec2(63));
    return in_f(uint(p.y * 64 + p.x));
}

vec4 weights(float t)
{
    vec4 w;
    w.x = ((-0.5 * t + 1.0) * t - 0.5) * t;
    w.y = (1.5 * t - 2.5) * t * t + 1.0;
    w.z = ((-1.5 * t + 2.0) * t + 0.5) * t;
    w.w = (0.5 * t - 0.5) * t * t;
    return w;
}

float bicubic(vec2 at)
{
    vec2 whole = floor(at), part = at - whole;
    ivec2 p = ivec2(whole) - 1;
    vec4 wx = weights(part.x), wy = weights(part.y);
    float sum = 0.0;
    for (int y = 0; y < 4; y++) {
        vec4 row = vec4(texel(p + ivec2(0, y)), texel(p + ivec2(1, y)), texel(p + ivec2(2, y)), texel(p + ivec2(3, y)));
        sum += wy[y] * dot(wx, row);
    }
    return sum;
}

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    vec2 centre = vec2(at) * 3.25 + 1.125;
    float sum = 0.0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += bicubic(centre + vec2(x, y) * 0.375) * (x == 0 && y == 0 ? 4.0 : x == 0 || y == 0 ? 2.0 : 1.0);
    put(at.y * 16u + at.x, sum / 16.0);
}
