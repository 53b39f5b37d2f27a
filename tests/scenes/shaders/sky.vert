#version 450
#ifdef LAYERED
#extension GL_ARB_shader_viewport_layer_array : require
#else
#extension GL_EXT_multiview : require
#endif
// A triangle over a face for each view, or for each instance.
layout(location = 0) out vec2 uv_out;
layout(location = 1) flat out int face_out;

void main()
{
    vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2.0;
    uv_out = corner;
#ifdef LAYERED
    face_out = gl_Layer = gl_InstanceIndex;
#else
    face_out = gl_ViewIndex;
#endif
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
