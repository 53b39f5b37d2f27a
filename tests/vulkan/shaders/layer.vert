#version 450
#extension GL_ARB_shader_viewport_layer_array : require
/* A full screen for each instance, in a layer or a viewport of its own. */
layout(location = 0) out vec4 color;
void main()
{
    gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5, 1);
    color = vec4(gl_InstanceIndex + 1) / 16.0;
#ifdef VIEWPORT
    gl_ViewportIndex = gl_InstanceIndex;
#else
    gl_Layer = gl_InstanceIndex;
#endif
}
