#version 460
// images 1 1 1
#extension GL_GOOGLE_include_directive : require
#pragma use_vulkan_memory_model
#extension GL_KHR_memory_scope_semantics : require
// Vulkan's memory model: what is made available and visible, of buffers and of texels; atomics with a scope of their own.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint words[8192]; } source;
layout(set = 0, binding = 1, std430) workgroupcoherent buffer Output { uint words[]; } result;
layout(set = 0, binding = 3, std430) volatile buffer Second { uint words[]; } second;
layout(set = 1, binding = 12, r32ui) uniform workgroupcoherent uimage2D words_image;
layout(set = 1, binding = 19, r32ui) uniform volatile uimage1D line_image;
shared uint all[64];
void main()
{
    uint i = gl_LocalInvocationID.x;
    ivec2 at = ivec2(i % 16u, i / 16u);
    result.words[i] = source.words[i];
    imageStore(words_image, at, uvec4(source.words[i + 64u]));
    all[i] = i;
    controlBarrier(gl_ScopeWorkgroup, gl_ScopeWorkgroup, gl_StorageSemanticsBuffer | gl_StorageSemanticsShared | gl_StorageSemanticsImage, gl_SemanticsAcquireRelease);
    uint other = result.words[63u - i] + imageLoad(words_image, ivec2(15, 3) - at).x + all[i ^ 1u];
    memoryBarrier(gl_ScopeWorkgroup, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease);
    second.words[i] = other;
    atomicStore(second.words[256u + i], other ^ 5u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    second.words[512u + i] = atomicLoad(second.words[256u + i], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
    if (i < 16u)
        imageStore(line_image, int(i), uvec4(imageLoad(line_image, int(i) + 16).x + 1u));
}
