#version 450
layout(location = 0) in vec4 in_position;
layout(location = 1) in vec4 in_color;
layout(location = 0) out vec4 color;
layout(location = 1) flat out vec4 flat_color;
layout(location = 2) noperspective out vec4 linear_color;
layout(push_constant) uniform Push {
    vec4 instance_offset;
    float point_size;
};
void main()
{
    gl_Position = in_position + instance_offset * float(gl_InstanceIndex);
    gl_PointSize = point_size;
    color = in_color;
    flat_color = in_color;
    linear_color = in_color;
}
