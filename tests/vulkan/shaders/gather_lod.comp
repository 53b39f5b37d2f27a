#version 460
#extension GL_AMD_texture_gather_bias_lod : require
/* The four texels about a place of a level that the shader names. */
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 1) buffer In {
    vec4 places[];
};
layout(binding = 2) buffer Out {
    vec4 looks[];
};
void main()
{
    uint i = gl_GlobalInvocationID.x;
    vec4 at = places[i];
    looks[i] = at.w > 0.5 ? textureGatherLodAMD(source, at.xy, at.z, 1) : textureGatherLodAMD(source, at.xy, at.z);
}
