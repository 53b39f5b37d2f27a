#version 450
layout(location = 0) out vec2 uv_out;

void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0;
    uv_out = corner;
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
