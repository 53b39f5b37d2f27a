#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Structures in structures through functions.
// run 4 1 1 tolerance 1e-4
layout(local_size_x = 64) in;

struct Ray {
    vec3 origin, direction;
};

struct Camera {
    Ray axis;
    mat3 turn;
    float angle;
};

Ray through(Camera camera, vec2 at)
{
    Ray ray = camera.axis;
    ray.direction = camera.turn * normalize(vec3(at * camera.angle, 1.0));
    return ray;
}

void advance(inout Ray ray, float by)
{
    ray.origin += ray.direction * by;
}

void main()
{
    Camera camera;
    camera.axis = Ray(in_v3(ID), vec3(0.0, 0.0, 1.0));
    camera.turn = mat3(0.6, 0.8, 0.0, -0.8, 0.6, 0.0, 0.0, 0.0, 1.0);
    camera.angle = push.floats[0];
    Ray ray = through(camera, in_v2(ID + 50u));
    advance(ray, block.floats[3].z);
    put(ID, ray.origin);
}
