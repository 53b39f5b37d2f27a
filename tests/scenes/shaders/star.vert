#version 450
// Stars of a galaxy as points, or its clouds as quads, one an instance.
layout(location = 0) out vec3 color_out;
#ifdef CLOUDS
layout(location = 1) out vec2 corner_out;
#endif
layout(push_constant) uniform Push { mat4 clip; vec4 right, up; };

uint hash(uint n)
{
    n = (n ^ 61u) ^ (n >> 16);
    n *= 9u;
    n ^= n >> 4;
    n *= 0x27d4eb2du;
    return n ^ (n >> 15);
}

float random(inout uint state)
{
    state = hash(state + 0x9e3779b9u);
    return float(state >> 8) / 16777216.0;
}

void main()
{
#ifdef CLOUDS
    uint state = uint(gl_InstanceIndex) * 7919u + 5u;
#else
    uint state = uint(gl_VertexIndex) * 2654435u + 1u;
#endif
    float far = pow(random(state), 0.6) * 4.2, arm = floor(random(state) * 2.0) * 3.14159265;
    float spread = (random(state) + random(state) + random(state) - 1.5) * 1.2 / (0.6 + far * 0.5);
    float angle = arm + far * 1.15 + spread;
    vec3 at = vec3(cos(angle) * far, (random(state) + random(state) - 1.0) * 0.28 * exp(-far * 0.3), sin(angle) * far);
    float warm = exp(-far * 0.8);
    vec3 blue = mix(vec3(0.2, 0.45, 1.0), vec3(1.0, 0.25, 0.55), step(0.82, random(state)));
    color_out = mix(blue, vec3(1.0, 0.65, 0.28), warm);
#ifdef CLOUDS
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0 - 1.0;
    float size = 0.35 + 0.75 * random(state);
    corner_out = corner;
    color_out *= 0.022;
    gl_Position = clip * vec4(at + (right.xyz * corner.x + up.xyz * corner.y) * size, 1.0);
#else
    float bright = pow(random(state), 4.0);
    color_out *= 0.08 + 1.1 * bright;
    gl_Position = clip * vec4(at, 1.0);
    gl_PointSize = 1.6 + 8.0 * bright;
    // Whether a point is seen whose middle is not, is left to the implementation (pointClippingBehavior): here it never is.
    if (any(greaterThan(abs(gl_Position.xy), gl_Position.ww)))
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
#endif
}
