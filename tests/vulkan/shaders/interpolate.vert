#version 450
layout(location = 0) in vec4 in_position;
layout(location = 1) in vec4 in_color;
layout(location = 0) out vec4 smooth_color;
layout(location = 1) flat out vec4 flat_color;
layout(location = 2) noperspective out vec4 linear_color;
layout(location = 3) centroid out vec4 centroid_color;
layout(location = 4) sample out vec4 sample_color;
void main()
{
    gl_Position = in_position;
    gl_PointSize = 1;
    smooth_color = flat_color = linear_color = centroid_color = sample_color = in_color;
}
