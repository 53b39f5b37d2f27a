#version 460
#extension GL_AMD_texture_gather_bias_lod : require
/* The four texels about this pixel's place: of the level that the derivatives say, of others beside it, or of the first. */
layout(constant_id = 0) const int WHAT = 0;
layout(location = 0) out vec4 out_color;
layout(binding = 0) uniform sampler2D source;
void main()
{
    vec2 at = (gl_FragCoord.xy + 0.1) / 16.0;
    if (WHAT == 0)
        out_color = textureGather(source, at, 0);
    else if (WHAT == 1)
        out_color = textureGather(source, at, 0, 1.0);
    else if (WHAT == 2)
        out_color = textureGather(source, at, 0, -1.0);
    else
        out_color = textureGatherLodAMD(source, at, 0.0, 0);
}
