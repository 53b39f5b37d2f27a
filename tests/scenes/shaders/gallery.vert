#version 450
// Cards on a bent wall, one an instance.
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 uv;
layout(location = 0) out vec2 uv_out;
layout(location = 1) flat out int card_out;
layout(location = 2) out float light_out;
layout(push_constant) uniform Push { mat4 clip; };

void main()
{
    float column = float(gl_InstanceIndex % 8) - 3.5, row = float(gl_InstanceIndex / 8) - 1.0;
    float angle = (column + position.x * 0.43) * 0.27;
    vec3 at = vec3(sin(angle) * 5.0, row * 1.45 - position.z * 0.6, -cos(angle) * 5.0 + 5.0 + 0.25 * sin(float(gl_InstanceIndex) * 2.3));
    uv_out = uv;
    card_out = gl_InstanceIndex;
    light_out = cos(angle * 0.9);
    gl_Position = clip * vec4(at, 1.0);
}
