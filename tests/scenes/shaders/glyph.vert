#version 450
// A glyph an instance: its place, size, colour, letter. How they are stored is said while recording.
layout(location = 0) in vec2 place;
layout(location = 1) in vec2 size; // and a turn
layout(location = 2) in vec4 color;
layout(location = 3) in uvec2 cell;
layout(location = 0) out vec2 uv_out;
layout(location = 1) out vec4 color_out;

void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1);
    vec2 at = (corner - 0.5) * vec2(0.8, 1.0) * size.x;
    at = mat2(cos(size.y), sin(size.y), -sin(size.y), cos(size.y)) * at;
    uv_out = (vec2(cell) + corner) / vec2(6.0, 5.0);
    color_out = color;
    gl_Position = vec4(place + at * vec2(0.75, 1.0), 0.0, 1.0);
}
