#version 450
// The points as the simulation left them.
const int COLUMNS = 41, ROWS = 25;
layout(std430, binding = 0) readonly buffer Points { vec4 points[COLUMNS * ROWS]; };
layout(location = 0) out vec3 world_out;
layout(location = 1) out vec3 normal_out;
layout(location = 2) out vec2 uv_out;
layout(location = 3) flat out int tile_out;
layout(push_constant) uniform Push { mat4 clip; };

vec3 point(int x, int y)
{
    return points[clamp(y, 0, ROWS - 1) * COLUMNS + clamp(x, 0, COLUMNS - 1)].xyz;
}

void main()
{
    int x = gl_VertexIndex % COLUMNS, y = gl_VertexIndex / COLUMNS;
    world_out = point(x, y);
    normal_out = cross(point(x + 1, y) - point(x - 1, y), point(x, y - 1) - point(x, y + 1));
    uv_out = vec2(x, y) / vec2(COLUMNS - 1, ROWS - 1);
    tile_out = gl_InstanceIndex;
    gl_Position = clip * vec4(world_out, 1.0);
}
