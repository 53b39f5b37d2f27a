#version 450
// Turned a little, so that a pixel lies between texels.
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 target;
layout(set = 0, binding = 0) uniform sampler2D image;
layout(constant_id = 0) const uint kind = 0; // near, from afar, from afar and at an angle
void main()
{
    vec2 scale = kind == 0 ? vec2(1.75) : kind == 1 ? vec2(5) : vec2(2.4, 38);
    float turn = kind == 1 ? 1 : 0.25;
    target = texture(image, vec2(color.x * scale.x + color.y * turn, color.y * scale.y - color.x * turn));
}
