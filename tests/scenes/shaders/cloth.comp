#version 450
// A step of a flag: its points held at the left, pulled by springs, gravity and wind. Damped: what is rounded fades.
layout(local_size_x = 8, local_size_y = 8) in;
const int COLUMNS = 41, ROWS = 25;
layout(std430, binding = 0) readonly buffer From { vec4 now[COLUMNS * ROWS]; };
layout(std430, binding = 1) buffer Speeds { vec4 speed[COLUMNS * ROWS]; };
layout(std430, binding = 2) writeonly buffer To { vec4 next[COLUMNS * ROWS]; };
layout(push_constant) uniform Push { float time; };

vec3 pull(ivec2 at, ivec2 step_to, vec3 here)
{
    ivec2 other = at + step_to;
    if (other.x < 0 || other.y < 0 || other.x >= COLUMNS || other.y >= ROWS)
        return vec3(0.0);
    vec3 way = now[other.y * COLUMNS + other.x].xyz - here;
    float rest = length(vec2(step_to)) * 0.1, far = length(way);
    return way * ((far - rest) / far);
}

void main()
{
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (at.x >= COLUMNS || at.y >= ROWS)
        return;
    int index = at.y * COLUMNS + at.x;
    vec3 here = now[index].xyz, force = vec3(0.0);
    for (int y = -2; y <= 2; y++) {
        for (int x = -2; x <= 2; x++) {
            if ((abs(x) + abs(y) == 2 && x * y == 0) || (abs(x) <= 1 && abs(y) <= 1 && (x | y) != 0))
                force += pull(at, ivec2(x, y), here);
        }
    }
    vec3 wind = vec3(0.9, 0.0, 1.6 * sin(here.x * 2.6 - time * 3.0 + here.y * 0.9));
    vec3 moved = speed[index].xyz * 0.94 + (force * 180.0 + wind + vec3(0.0, -0.45, 0.0)) * 0.02;
    if (at.x == 0)
        moved = vec3(0.0);
    speed[index] = vec4(moved, 0.0);
    next[index] = vec4(here + moved * 0.02, 1.0);
}
