#version 450
#extension GL_ARB_sparse_texture2 : require
#extension GL_ARB_sparse_texture_clamp : require
/* The level of derivatives, or one that is not below a limit: the texel's blue, and whether it has memory. */
layout(constant_id = 0) const int least_level = 0;
layout(constant_id = 1) const float size = 256.0;
layout(binding = 0) uniform sampler2D source;
layout(location = 0) out vec4 color;
void main()
{
    vec4 texel = vec4(0.5);
    vec2 at = gl_FragCoord.xy / size;
    int code = least_level == 0 ? sparseTextureARB(source, at, texel) : sparseTextureClampARB(source, at, float(least_level), texel);
    color = vec4(sparseTexelsResidentARB(code) ? 1.0 : 0.0, 0.0, texel.b, 1.0);
}
