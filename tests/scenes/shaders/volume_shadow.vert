#version 450
// Shadow volumes: positions as they are; w is 1.
layout(location = 0) in vec3 position;
layout(push_constant) uniform Push { mat4 clip; };

void main()
{
    gl_Position = clip * vec4(position, 1.0);
}
