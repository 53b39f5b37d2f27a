#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// The nearest of the points in nine cells.
// run 4 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

void main()
{
    vec2 at = in_v2(ID) * 2.0, whole = floor(at), f = at - whole;
    float nearest = 8.0, next = 8.0;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            ivec2 cell = ivec2(whole) + ivec2(x, y);
            uint h = uint(cell.x) * 0x9e3779b9u ^ uint(cell.y) * 0x85ebca6bu;
            h = (h ^ h >> 16) * 0x7feb352du;
            vec2 point = vec2(x, y) + vec2(h & 0xffffu, h >> 16) / 65536.0 - f;
            float d = dot(point, point);
            next = d < nearest ? nearest : min(next, d);
            nearest = min(nearest, d);
        }
    }
    put(ID, vec2(sqrt(nearest), sqrt(next)));
}
