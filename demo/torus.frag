#version 460
layout(location = 0) in vec3 normal;
layout(location = 1) in vec3 place;
layout(location = 2) in vec2 patch_at;
layout(location = 0) out vec4 colour;

void main()
{
    vec3 n = normalize(normal), light = normalize(vec3(-0.5, 0.8, -0.7)), eye = normalize(vec3(0.0, 0.0, -7.5) - place);
    if (dot(n, eye) < 0.0)
        n = -n;
    vec2 cell = fract(patch_at * vec2(0.25, 0.125));
    float line = smoothstep(0.0, 0.08, min(min(cell.x, 1.0 - cell.x), min(cell.y, 1.0 - cell.y)));
    vec3 base = mix(vec3(0.05, 0.06, 0.09), 0.55 + 0.45 * cos(vec3(0.0, 2.1, 4.2) + patch_at.y * 0.03), line);
    float lit = max(dot(n, light), 0.0), shine = pow(max(dot(reflect(-light, n), eye), 0.0), 40.0);
    colour = vec4(base * (0.25 + 0.85 * lit) + 0.6 * shine, 1.0);
}
