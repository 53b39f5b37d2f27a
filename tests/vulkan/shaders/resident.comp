#version 450
#extension GL_ARB_sparse_texture2 : require
/* Every texel of a slice of a level, and whether it has memory. */
#define FETCH 0
#define SAMPLE 1
#define LINEAR 2 /* between four texels */
#define GATHER 3
#define LOAD 4
#define GRAD 5
layout(local_size_x = 8, local_size_y = 8) in;
layout(constant_id = 0) const int level = 0;
layout(constant_id = 1) const int slice = 0;
#if KIND == LOAD && defined(VOLUME)
layout(binding = 0, rgba8) uniform readonly image3D source;
#elif KIND == LOAD
layout(binding = 0, rgba8) uniform readonly image2DArray source;
#elif defined(VOLUME)
layout(binding = 0) uniform sampler3D source;
#else
layout(binding = 0) uniform sampler2DArray source;
#endif
layout(binding = 1) buffer Seen {
    uvec2 seen[]; /* resident, texel */
};
void main()
{
#if KIND == LOAD
    ivec3 size = imageSize(source);
#else
    ivec3 size = textureSize(source, level);
#endif
    ivec3 at = ivec3(gl_GlobalInvocationID.xy, slice);
    if (any(greaterThanEqual(at.xy, size.xy)))
        return;
    vec3 center = vec3((at.xy + 0.5) / size.xy, slice), corner = vec3((at.xy + 1.0) / size.xy, slice);
#ifdef VOLUME
    center.z = corner.z = (slice + 0.5) / size.z;
#endif
    vec4 texel = vec4(0.5);
#if KIND == FETCH
    int code = sparseTexelFetchARB(source, at, level, texel);
#elif KIND == SAMPLE
    int code = sparseTextureLodARB(source, center, float(level), texel);
#elif KIND == LINEAR
    int code = sparseTextureLodARB(source, corner, float(level), texel);
#elif KIND == GATHER
    int code = sparseTextureGatherARB(source, corner, texel);
#elif KIND == GRAD && defined(VOLUME) /* a step of a texel of this level, as below */
    int code = sparseTextureGradARB(source, center, vec3(1.0 / size.x, 0, 0), vec3(0, 1.0 / size.y, 0), texel);
#elif KIND == GRAD
    int code = sparseTextureGradARB(source, center, vec2(1.0 / size.x, 0), vec2(0, 1.0 / size.y), texel);
#elif KIND == LOAD
    int code = sparseImageLoadARB(source, at, texel);
#endif
    seen[at.y * size.x + at.x] = uvec2(sparseTexelsResidentARB(code) ? 1 : 0, packUnorm4x8(texel));
}
