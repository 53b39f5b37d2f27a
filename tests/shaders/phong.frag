#version 460

// Phong's light with four lamps, and fog.
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 normal;
layout(location = 0) out vec4 colour;

layout(set = 0, binding = 0) uniform Lamps {
    vec4 places[4], colours[4];
    vec4 eye;
} lamps;

void main()
{
    vec3 n = normalize(normal), v = normalize(lamps.eye.xyz - place), sum = vec3(0.02);
    for (int i = 0; i < 4; i++) {
        vec3 l = lamps.places[i].xyz - place;
        float fall = 1.0 / (1.0 + dot(l, l));
        l = normalize(l);
        sum += lamps.colours[i].rgb * fall * (max(dot(n, l), 0.0) + pow(max(dot(reflect(-l, n), v), 0.0), 16.0));
    }
    colour = vec4(mix(sum, vec3(0.5), 1.0 - exp(-0.01 * distance(place, lamps.eye.xyz))), 1.0);
}
