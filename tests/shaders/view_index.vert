#version 460
// views 6 1 1 tolerance 0.001
// Views of one draw.
#extension GL_EXT_multiview : require
#extension GL_EXT_device_group : require
layout(location = 0) out vec4 value;
void main()
{
    int n = gl_VertexIndex % 6;
    vec2 corner = vec2(n == 1 || n == 3 || n == 4 ? 1.0 : -1.0, n == 2 || n >= 4 ? 1.0 : -1.0);
    gl_Position = vec4(corner * (1.0 - float(gl_ViewIndex) * 0.25), 0.25, 1.0);
    value = vec4(float(gl_ViewIndex), float(gl_DeviceIndex), corner);
}
