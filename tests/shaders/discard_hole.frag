#version 460

// A hole in the middle, with derivatives after it.
layout(location = 0) in vec2 coordinate;
layout(location = 0) out vec4 colour;

void main()
{
    vec2 width = fwidth(coordinate);
    if (dot(coordinate, coordinate) < 0.25)
        discard;
    colour = vec4(width, dFdx(coordinate.x * coordinate.y), 1.0);
}
