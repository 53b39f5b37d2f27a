#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A microfacet model of light on a surface.
// run 4 1 1 tolerance 1e-2
layout(local_size_x = 64) in;

void main()
{
    vec3 n = vec3(0.0, 0.0, 1.0), l = normalize(vec3(in_v2(ID), 3.0)), v = normalize(vec3(in_v2(ID + 300u), 3.0)), h = normalize(l + v);
    float rough = 0.25 + 0.125 * (in_f(ID) + 4.0) * 0.5, a2 = rough * rough * rough * rough;
    float nl = l.z, nv = v.z, nh = h.z, vh = dot(v, h), d = nh * nh * (a2 - 1.0) + 1.0;
    float distribution = a2 / (3.14159265 * d * d), k = (rough + 1.0) * (rough + 1.0) * 0.125;
    float geometry = nl / (nl * (1.0 - k) + k) * nv / (nv * (1.0 - k) + k);
    vec3 fresnel = vec3(0.04, 0.3, 0.8) + vec3(0.96, 0.7, 0.2) * pow(1.0 - vh, 5.0);
    put(ID, fresnel * (distribution * geometry / (4.0 * nl * nv)));
}
