/* Accesses: what Vulkan's accesses mean for the caches of this GPU.
 *
 *   shaders ── vector L1, scalar L1 ┐
 *   command processor, DMA ─────────┼── L2 ── memory
 *   colour and depth caches ────────┘
 *
 * A write is available when it has reached L2 (the render backends' caches are behind the same L2 on GFX10.3, but for
 * images whose bytes they see differently: radeon_image::is_l2_coherent). It is visible when the reader's own cache
 * has dropped what it knew. The host's view is kept coherent by the kernel around submissions. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_image.h"
#include "vulkan/runtime/sync/vk_synchronization.h"

/* FMASK counts where it has a place, so that turning it on for an image is no matter of barriers. */
static bool has_color_metadata(const struct radeon_image *image)
{
    return image->dcc.enabled || image->cmask.enabled || image->fmask.size_B;
}

uint32_t radeon_order_after(VkPipelineStageFlags2 stages, VkAccessFlags2 access, const struct radeon_image *image)
{
    access = vk_expand_accesses(stages, access);
    uint32_t order = 0;
    /* Stores of shaders are in L2 when the wave ends. A barrier without an image speaks for all of them, and so for
     * those that the render backends see differently. */
    if (access & (VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT) &&
        !(image && image->is_l2_coherent))
        order |= RADEON_FRESH_L2;
    /* Counters are the command processor's, which need not look into L2. */
    if (access &
            (VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT | VK_ACCESS_2_TRANSFORM_FEEDBACK_COUNTER_WRITE_BIT_EXT) &&
        !image)
        order |= RADEON_OUT_L2;
    if (access & VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT)
        order |= RADEON_OUT_COLOR | (image && !has_color_metadata(image) ? 0 : RADEON_OUT_COLOR_METADATA);
    if (access & VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT)
        order |= RADEON_OUT_DEPTH | (image && !image->htile.enabled ? 0 : RADEON_OUT_DEPTH_METADATA);
    /* Our transfers write as targets or as shaders do; a depth image may be a colour target to them. What shaders wrote
     * must not be found older in the backends' caches. */
    if (access & VK_ACCESS_2_TRANSFER_WRITE_BIT)
        order |= RADEON_OUT_ALL_COLOR | RADEON_OUT_ALL_DEPTH;
    return order;
}

uint32_t radeon_order_before(VkPipelineStageFlags2 stages, VkAccessFlags2 access, const struct radeon_image *image)
{
    const VkAccessFlags2 texels = VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
                                  VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_2_TRANSFER_READ_BIT;
    access = vk_expand_accesses(stages, access);
    uint32_t order = 0;
    /* Shader reads that are left are those that acceleration structures are built from. They are written where
     * scratch memory is read again. In a descriptor buffer there are inline blocks beside the descriptors. */
    const VkAccessFlags2 rays = VK_ACCESS_2_ACCELERATION_STRUCTURE_READ_BIT_KHR |
                                VK_ACCESS_2_ACCELERATION_STRUCTURE_WRITE_BIT_KHR | VK_ACCESS_2_SHADER_READ_BIT |
                                VK_ACCESS_2_SHADER_BINDING_TABLE_READ_BIT_KHR,
                         uniforms = VK_ACCESS_2_UNIFORM_READ_BIT | VK_ACCESS_2_DESCRIPTOR_BUFFER_READ_BIT_EXT;
    if (access &
        (texels | uniforms | VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_2_TRANSFER_WRITE_BIT | rays))
        order |= RADEON_FRESH_VECTOR;
    /* Loads whose address is the same in all lanes go through the scalar cache; images are never loaded so. */
    if (access & uniforms || (access & (VK_ACCESS_2_SHADER_STORAGE_READ_BIT | rays) && !image))
        order |= RADEON_FRESH_SCALAR;
    /* Texture units read metadata through a cache of its own in front of L2. */
    if (access & texels && (!image || has_color_metadata(image) || image->htile.enabled))
        order |= RADEON_FRESH_METADATA;
    if (order & RADEON_DROP(VECTOR) && image && !image->is_l2_coherent)
        order |= RADEON_FRESH_L2;
    /* A target that shaders wrote must not be found older in the backends' caches: transfers have seen to it. */
    if (!image || image->vk.usage & VK_IMAGE_USAGE_STORAGE_BIT) {
        if (access & (VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT))
            order |= RADEON_OUT_ALL_COLOR;
        if (access & (VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT))
            order |= RADEON_OUT_ALL_DEPTH;
    }
    return order;
}
