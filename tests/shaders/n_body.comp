#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Gravity of 32 bodies, positions in shared memory.
// run 1 1 1 tolerance 1e-3
layout(local_size_x = 32) in;

shared vec4 bodies[32];

void main()
{
    vec3 place = in_v3(ID), speed = in_v3(ID + 40u) * 0.1, force = vec3(0.0);
    for (uint turn = 0u; turn < 2u; turn++) {
        bodies[LANE] = vec4(place, abs(in_f(ID)) + 0.5);
        barrier();
        force = vec3(0.0);
        for (uint i = 0u; i < 32u; i++) {
            vec3 way = bodies[i].xyz - place;
            float squared = dot(way, way) + 0.25, inverse = inversesqrt(squared);
            force += way * (bodies[i].w * inverse * inverse * inverse);
        }
        speed += force * 0.01;
        place += speed * 0.01;
        barrier();
    }
    put(ID * 2u, place);
    put(ID * 2u + 1u, speed);
}
