#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "common.glsl"

// Scalar layout: vec3 without padding.
// run 4 1 1
layout(local_size_x = 64) in;

struct Particle {
    vec3 place;
    float mass;
    vec3 speed;
    uint kind;
    vec2 spin;
};

layout(set = 0, binding = 0, scalar) readonly buffer Particles {
    uint skip[8192];
    Particle data[800];
} particles;

layout(set = 0, binding = 1, scalar) buffer Places {
    vec3 data[];
} places;

void main()
{
    Particle p = particles.data[ID];
    places.data[ID * 2u] = p.place + p.speed;
    places.data[ID * 2u + 1u] = vec3(p.spin, uintBitsToFloat(p.kind));
}
