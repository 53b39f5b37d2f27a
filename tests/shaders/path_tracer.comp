#version 460
#extension GL_GOOGLE_include_directive : require
#include "common.glsl"

// Paths of light among spheres: diffuse, mirror and glass, four paths of four bounces for each pixel.
// run 1 1 1 tolerance 2e-1
layout(local_size_x = 64) in;

struct Sphere {
    vec3 centre;
    float radius;
    vec3 colour;
    uint kind;
};

const Sphere spheres[5] = Sphere[](Sphere(vec3(0.0, -100.5, 0.0), 100.0, vec3(0.5, 0.5, 0.5), 0u), Sphere(vec3(0.0, 0.0, 0.0), 0.5, vec3(0.7, 0.3, 0.3), 0u),
                                   Sphere(vec3(1.0, 0.0, 0.0), 0.5, vec3(0.8, 0.6, 0.2), 1u), Sphere(vec3(-1.0, 0.0, 0.0), 0.5, vec3(1.0), 2u),
                                   Sphere(vec3(0.0, 2.5, 0.0), 1.0, vec3(3.0), 3u));

uint seed;

float random()
{
    seed = seed * 747796405u + 2891336453u;
    uint word = ((seed >> ((seed >> 28) + 4u)) ^ seed) * 277803737u;
    return float((word >> 22 ^ word) >> 8) / 16777216.0;
}

vec3 random_direction()
{
    float z = random() * 2.0 - 1.0, angle = random() * 6.2831853, r = sqrt(max(1.0 - z * z, 0.0));
    return vec3(r * cos(angle), r * sin(angle), z);
}

bool hit(vec3 origin, vec3 direction, out float nearest, out uint which)
{
    nearest = 1e9;
    for (uint i = 0u; i < 5u; i++) {
        vec3 to = origin - spheres[i].centre;
        float b = dot(to, direction), d = b * b - dot(to, to) + spheres[i].radius * spheres[i].radius;
        if (d <= 0.0)
            continue;
        float root = sqrt(d), t = -b - root > 1e-3 ? -b - root : -b + root;
        if (t > 1e-3 && t < nearest) {
            nearest = t;
            which = i;
        }
    }
    return nearest < 1e8;
}

vec3 through_glass(vec3 direction, vec3 normal)
{
    bool outside = dot(direction, normal) < 0.0;
    vec3 n = outside ? normal : -normal;
    float ratio = outside ? 1.0 / 1.5 : 1.5, cosine = min(-dot(direction, n), 1.0);
    float r0 = (1.0 - ratio) / (1.0 + ratio);
    float reflected = r0 * r0 + (1.0 - r0 * r0) * pow(1.0 - cosine, 5.0);
    vec3 bent = refract(direction, n, ratio);
    return dot(bent, bent) < 0.5 || random() < reflected ? reflect(direction, n) : bent;
}

vec3 trace(vec3 origin, vec3 direction)
{
    vec3 light = vec3(0.0), colour = vec3(1.0);
    for (uint bounce = 0u; bounce < 4u; bounce++) {
        float t;
        uint which;
        if (!hit(origin, direction, t, which))
            return light + colour * mix(vec3(1.0), vec3(0.5, 0.7, 1.0), 0.5 * direction.y + 0.5);
        Sphere sphere = spheres[which];
        vec3 normal = (origin + direction * t - sphere.centre) / sphere.radius;
        origin += direction * t;
        switch (sphere.kind) {
        case 0u:
            direction = normalize(normal + random_direction() * 0.98);
            break;
        case 1u:
            direction = reflect(direction, normal);
            break;
        case 2u:
            direction = through_glass(direction, normal);
            break;
        default:
            return light + colour * sphere.colour;
        }
        colour *= sphere.colour;
    }
    return light;
}

void main()
{
    seed = ID * 9781u + 1u;
    vec2 pixel = vec2(float(ID & 7u), float(ID >> 3));
    vec3 sum = vec3(0.0);
    for (uint i = 0u; i < 4u; i++) {
        vec2 at = (pixel + vec2(random(), random())) / 4.0 - 1.0;
        sum += trace(vec3(0.0, 0.5, -3.0), normalize(vec3(at, 1.5)));
    }
    // Coarse: one ray that grazes a sphere on one machine and misses it on another must not decide.
    put(ID, clamp(sum * 0.25, 0.0, 1.0));
}
