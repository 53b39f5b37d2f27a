#version 450
// A face of the sky for each view.
layout(location = 0) in vec2 uv;
layout(location = 1) flat in int face;
layout(location = 0) out vec4 color_out;

vec3 direction(vec2 at)
{
    switch (face) {
    case 0: return vec3(1.0, -at.y, -at.x);
    case 1: return vec3(-1.0, -at.y, at.x);
    case 2: return vec3(at.x, 1.0, at.y);
    case 3: return vec3(at.x, -1.0, -at.y);
    case 4: return vec3(at.x, -at.y, 1.0);
    default: return vec3(-at.x, -at.y, -1.0);
    }
}

void main()
{
    vec3 d = normalize(direction(uv * 2.0 - 1.0));
    float angle = atan(d.x, d.z + 1e-6);
    vec3 sun = normalize(vec3(0.55, 0.32, -0.75));
    float near_sun = max(dot(d, sun), 0.0);
    vec3 color = mix(vec3(0.75, 0.36, 0.18), vec3(0.05, 0.13, 0.38), smoothstep(-0.05, 0.55, d.y));
    color += vec3(1.0, 0.7, 0.35) * (pow(near_sun, 12.0) * 0.5 + pow(near_sun, 180.0) * 6.0);
    vec2 cloud = d.xz / max(d.y + 0.12, 0.05);
    float cover = sin(cloud.x * 2.1 + sin(cloud.y * 1.7)) * sin(cloud.y * 2.6 + 1.0 + sin(cloud.x * 1.3)) * 0.6 + 0.2;
    color = mix(color, vec3(0.85, 0.6, 0.5), clamp(cover, 0.0, 1.0) * smoothstep(0.06, 0.35, d.y) * 0.7);
    for (int i = 0; i < 3; i++) {
        float k = float(i), ridge = 0.16 - k * 0.075 + 0.05 * sin(angle * (3.0 + 2.0 * k) + k) + 0.02 * sin(angle * (11.0 + 4.0 * k));
        vec3 hill = mix(vec3(0.22, 0.16, 0.28), vec3(0.025, 0.055, 0.04), k * 0.5);
        color = mix(color, hill, smoothstep(0.012, -0.012, d.y - ridge));
    }
    color = mix(color, vec3(0.02, 0.045, 0.03) * (1.0 + 0.6 * sin(d.x / min(d.y - 0.02, -0.05)) * sin(d.z / min(d.y - 0.02, -0.05))), smoothstep(-0.12, -0.25, d.y));
    color_out = vec4(color, 1.0);
}
