#version 450
layout(location = 0) in vec3 color;
layout(location = 0) out vec4 color_out;
#ifdef CLOUDS
layout(location = 1) in vec2 corner;
#endif

void main()
{
#ifdef CLOUDS
    float far = dot(corner, corner);
#else
    vec2 at = gl_PointCoord * 2.0 - 1.0;
    float far = dot(at, at);
#endif
    float glow = max(1.0 - far, 0.0);
    color_out = vec4(color * glow * glow, glow);
}
