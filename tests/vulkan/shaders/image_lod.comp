#version 460
#extension GL_AMD_shader_image_load_store_lod : require
/* One view of all levels: a texel of level FROM goes to level TO, changed by its layer. */
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const int FROM = 0;
layout(constant_id = 1) const int TO = 1;
layout(binding = 0, r32ui) uniform uimage2DArray image;
layout(push_constant) uniform Push {
    ivec2 size; /* of both, the smaller of them */
};
void main()
{
    ivec3 at = ivec3(gl_GlobalInvocationID);
    if (any(greaterThanEqual(at.xy, size)))
        return;
    uint texel = imageLoadLodAMD(image, at, FROM).x;
    imageStoreLodAMD(image, at, TO, uvec4(texel * 3u + uint(at.z)));
}
