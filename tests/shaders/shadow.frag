#version 460

// Nine comparisons with a shadow map.
layout(location = 0) in vec3 coordinate;
layout(location = 0) out vec4 colour;
layout(set = 0, binding = 0) uniform sampler2DShadow map;

void main()
{
    float light = 0.0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            light += texture(map, coordinate + vec3(x, y, 0) * 0.001);
    colour = vec4(light / 9.0);
}
