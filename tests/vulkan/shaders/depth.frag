#version 450
/* Depth and stencil out of the shader. */
#if STENCIL
#extension GL_ARB_shader_stencil_export : require
#endif
#if EARLY
layout(early_fragment_tests) in;
#endif
layout(location = 0) in vec4 color;
layout(location = 0) out vec4 out_color;
layout(constant_id = 0) const int what = 0;
void main()
{
    out_color = color;
#if STENCIL
    gl_FragStencilRefARB = int(gl_FragCoord.x);
#else
    if ((what & 1) != 0 && (int(gl_FragCoord.y) & 1) != 0)
        discard;
#if !EARLY && !defined(NO_DEPTH)
    gl_FragDepth = (what & 2) != 0 ? color.a : gl_FragCoord.z;
#endif
#endif
}
