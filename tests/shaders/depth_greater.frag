#version 460
// draw 6 1 1 tolerance 0.0001
#extension GL_GOOGLE_include_directive : require
// Depth that only grows, tests before the shader, outputs by component, exact arithmetic.
layout(location = 0) in vec4 place;
layout(depth_greater) out float gl_FragDepth;
layout(location = 0, component = 0) out vec2 low;
layout(location = 0, component = 2) out vec2 high;
void main()
{
    precise float sum = gl_FragCoord.x * 0.1 + gl_FragCoord.y * 0.3;
    low = vec2(sum, place.x);
    high = vec2(gl_FragCoord.y, 5.0);
    gl_FragDepth = gl_FragCoord.z + 0.125 * floor(gl_FragCoord.x / 4.0) / 4.0;
}
