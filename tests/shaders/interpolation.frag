#version 460

// All kinds of interpolation.
layout(location = 0) in vec2 smooth_value;
layout(location = 1) noperspective in vec2 linear_value;
layout(location = 2) flat in uint flat_value;
layout(location = 3) centroid in vec2 centroid_value;
layout(location = 0) out vec4 colour;

void main()
{
    colour = vec4(smooth_value + linear_value, centroid_value * float(flat_value & 7u)) + (gl_FrontFacing ? 0.5 : 0.0);
}
