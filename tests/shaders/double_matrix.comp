#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// A product of dmat3 and dvec3.
// run 1 1 1 tolerance 1e-13 double
layout(local_size_x = 64) in;

layout(set = 0, binding = 1, std430) buffer Doubles {
    double data[];
} doubles;

void main()
{
    dmat3 m = dmat3(dvec3(in_v3(ID)), dvec3(in_v3(ID + 64u)), dvec3(in_v3(ID + 128u)));
    dvec3 v = m * dvec3(in_v3(ID + 192u));
    doubles.data[ID * 3u] = v.x;
    doubles.data[ID * 3u + 1u] = v.y;
    doubles.data[ID * 3u + 2u] = dot(v, m[1]);
}
