// What many scenes share: the object that mesh.vert draws, light, and tone.
#ifndef COMMON_GLSL
#define COMMON_GLSL

layout(push_constant) uniform Object
{
    mat4 clip;
    vec4 model[3]; // rows
    vec4 color;
} object;

const float PI = 3.14159265;

// Lambert and a GGX highlight of one light.
vec3 lit(vec3 base, float rough, vec3 n, vec3 v, vec3 l, vec3 light)
{
    vec3 h = normalize(l + v);
    float nl = max(dot(n, l), 0.0), nv = max(dot(n, v), 0.05), nh = max(dot(n, h), 0.0), vh = max(dot(v, h), 0.0);
    float a = rough * rough, d = nh * nh * (a * a - 1.0) + 1.0;
    float highlight = a * a / (PI * d * d);
    float k = (rough + 1.0) * (rough + 1.0) / 8.0;
    float hidden = 1.0 / ((nl * (1.0 - k) + k) * (nv * (1.0 - k) + k) * 4.0);
    float fresnel = 0.04 + 0.96 * pow(1.0 - vh, 5.0);
    return (base / PI * (1.0 - fresnel) + highlight * hidden * fresnel) * nl * light;
}

// From above more than from below.
vec3 ambient(vec3 base, vec3 n, vec3 sky, vec3 ground)
{
    return base * mix(ground, sky, n.y * 0.5 + 0.5);
}

vec3 filmic(vec3 x)
{
    return clamp(x * (2.51 * x + 0.03) / (x * (2.43 * x + 0.59) + 0.14), 0.0, 1.0);
}

#endif
