#version 450
// A box around the eye, behind everything.
layout(location = 0) in vec3 position;
layout(location = 0) out vec3 direction_out;
layout(push_constant) uniform Push { mat4 turn_clip; };

void main()
{
    direction_out = position;
    gl_Position = (turn_clip * vec4(position, 1.0)).xyww;
}
