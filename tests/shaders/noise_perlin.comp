#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Perlin's gradient noise in three dimensions.
// run 4 1 1 tolerance 1e-3
layout(local_size_x = 64) in;

uint hash(ivec3 p)
{
    uint h = uint(p.x) * 73856093u ^ uint(p.y) * 19349663u ^ uint(p.z) * 83492791u;
    h ^= h >> 15;
    h *= 0x2c1b3c6du;
    return h ^ h >> 12;
}

float gradient(ivec3 p, vec3 d)
{
    uint h = hash(p) & 15u;
    float u = h < 8u ? d.x : d.y, v = h < 4u ? d.y : h == 12u || h == 14u ? d.x : d.z;
    return ((h & 1u) == 0u ? u : -u) + ((h & 2u) == 0u ? v : -v);
}

void main()
{
    vec3 at = in_v3(ID), whole = floor(at), f = at - whole, w = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
    ivec3 p = ivec3(whole);
    float c[8];
    for (int i = 0; i < 8; i++) {
        ivec3 o = ivec3(i & 1, i >> 1 & 1, i >> 2);
        c[i] = gradient(p + o, f - vec3(o));
    }
    put(ID, mix(mix(mix(c[0], c[1], w.x), mix(c[2], c[3], w.x), w.y), mix(mix(c[4], c[5], w.x), mix(c[6], c[7], w.x), w.y), w.z));
}
