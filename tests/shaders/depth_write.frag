#version 460

// Depth that the shader computes, and two targets.
layout(location = 0) in vec4 value;
layout(location = 0) out vec4 first;
layout(location = 1) out vec2 second;

void main()
{
    first = value.wzyx;
    second = gl_FragCoord.xy * 0.125;
    gl_FragDepth = clamp(gl_FragCoord.z + value.x * 0.001, 0.0, 1.0);
}
