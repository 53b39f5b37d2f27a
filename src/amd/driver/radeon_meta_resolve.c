/* Resolves: a fragment shader reads the samples of a pixel and the target takes what becomes of them, so that formats
 * are converted as for any draw. At the end of a rendering, and by vkCmdResolveImage2. */
#include <string.h>

#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_fmask.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_meta.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"

/* ---- the shader ---- */

struct resolve_push {
    float depth;      /* of the rectangle; not used */
    int32_t delta[2]; /* from a pixel of the target to the source's */
    uint32_t layer;
};
enum {
    RESOLVE_DELTA = 1, /* words */
    RESOLVE_LAYER = 3
};

/* VkResolveModeFlagBits [7:0], log2 of the samples [11:8], the aspect [19:12], FMASK is at binding 1 [20]. */
#define RESOLVE_KEY(mode, samples_log2, aspect, fmask)                                                                 \
    ((uint64_t)(mode) | (uint64_t)(samples_log2) << 8 | (uint64_t)(aspect) << 12 | (uint64_t)(fmask) << 20)

static struct ir_value *combine(struct ir_builder *b, VkResolveModeFlagBits mode, bool is_stencil, struct ir_value *x,
                                struct ir_value *y)
{
    switch (mode) {
    case VK_RESOLVE_MODE_MIN_BIT:
        return is_stencil ? ir_umin(b, x, y) : ir_fmin(b, x, y);
    case VK_RESOLVE_MODE_MAX_BIT:
        return is_stencil ? ir_umax(b, x, y) : ir_fmax(b, x, y);
    default:
        return ir_fadd(b, x, y);
    }
}

/* What becomes of all samples; `fragments` NULL: each is in the fragment of its number. */
static void all_samples(struct ir_builder *b, uint64_t key, struct ir_value *const at[3], struct ir_value *fragments,
                        uint32_t comps, struct ir_value *result[4])
{
    VkResolveModeFlagBits mode = key & 0xff;
    bool is_stencil = (key >> 12 & 0xff) == VK_IMAGE_ASPECT_STENCIL_BIT;
    uint32_t samples = mode == VK_RESOLVE_MODE_SAMPLE_ZERO_BIT ? 1 : 1u << (key >> 8 & 0xf);
    for (uint32_t sample = 0; sample < samples; sample++) {
        struct ir_value *fragment = fragments ? radeon_fmask_fragment(b, fragments, sample) : ir_const(b, 32, sample);
        struct ir_value *texel = radeon_meta_fetch(b, RADEON_META_MS, at, fragment);
        for (uint32_t i = 0; i < comps; i++) {
            struct ir_value *channel = ir_extract(b, texel, i);
            result[i] = sample ? combine(b, mode, is_stencil, result[i], channel) : channel;
        }
    }
    for (uint32_t i = 0; mode == VK_RESOLVE_MODE_AVERAGE_BIT && i < comps; i++)
        result[i] = ir_fmul(b, result[i], ir_const_f(b, 32, 1.0 / samples));
}

/* Most pixels lie within one primitive: all their samples are in fragment 0, and there is nothing to combine. */
static void build_resolve(struct ir_builder *b, uint64_t key)
{
    VkImageAspectFlagBits aspect = key >> 12 & 0xff;
    uint32_t comps = aspect == VK_IMAGE_ASPECT_COLOR_BIT ? 4 : 1;
    struct ir_value *place = ir_load_sysval(b, 32, 4, IR_SYSVAL_frag_coord), *at[3], *result[4], *first[4];
    b->shader->sysvals_read |= 1ull << IR_SYSVAL_frag_coord;
    for (uint32_t i = 0; i < 2; i++)
        at[i] = ir_iadd(b, ir_f2i(b, 32, ir_extract(b, place, i)), radeon_meta_push(b, RESOLVE_DELTA + i));
    at[2] = radeon_meta_push(b, RESOLVE_LAYER);
    if (key >> 20 & 1) {
        struct ir_value *fragments = radeon_fmask_fetch(b, 1, at), *zero = ir_const(b, 32, 0);
        struct ir_if *node = ir_builder_push_if(b, ir_ieq(b, fragments, zero));
        struct ir_value *texel = radeon_meta_fetch(b, RADEON_META_MS, at, zero);
        for (uint32_t i = 0; i < comps; i++)
            first[i] = ir_extract(b, texel, i);
        ir_builder_push_else(b);
        all_samples(b, key, at, fragments, comps, result);
        ir_builder_pop_if(b);
        for (uint32_t i = 0; i < comps; i++)
            result[i] = ir_if_phi(b, node, first[i], result[i]);
    } else {
        all_samples(b, key, at, NULL, comps, result);
    }
    radeon_meta_output(b, key, aspect, ir_vec(b, comps, result));
}

/* ---- one source, one target ---- */

static struct vk_graphics_pipeline *resolve_pipeline(struct radeon_cmd_buffer *cmd, VkFormat format,
                                                     VkImageAspectFlagBits aspect, VkResolveModeFlagBits mode,
                                                     uint32_t samples, bool fmask)
{
    uint64_t key = RADEON_META_KEY(RADEON_META_RESOLVE, RESOLVE_KEY(mode, log2_floor(samples), aspect, fmask));
    if (aspect == VK_IMAGE_ASPECT_COLOR_BIT)
        key |= radeon_meta_target_key(format, 0);
    return radeon_meta_pipeline(cmd, key, build_resolve);
}

/* ---- at the end of a rendering ---- */

/* With views the layers are those of the mask. */
static void resolve_attachment(struct radeon_cmd_buffer *cmd, const struct vk_attachment *attachment,
                               VkImageAspectFlagBits aspect, const VkRect2D *area, uint32_t layers, uint32_t views)
{
    struct radeon_image_view *from = radeon_image_view_of(attachment->view), source;
    radeon_image_view_init(cmd->device, &source,
                           &(const VkImageViewCreateInfo){
                               .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                               .image = radeon_image_to_handle(from->image),
                               .viewType = VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                               .format = from->vk.format,
                               .subresourceRange = {.aspectMask = aspect,
                                                    .baseMipLevel = from->vk.base_level,
                                                    .levelCount = 1,
                                                    .baseArrayLayer = from->vk.base_layer,
                                                    .layerCount = from->vk.layer_count},
                           },
                           NULL);
    bool fmask = aspect == VK_IMAGE_ASPECT_COLOR_BIT &&
                 radeon_layout_fmask_compressed(
                     from->image, attachment->layout,
                     radeon_image_queue_mask(from->image, VK_QUEUE_FAMILY_IGNORED, RADEON_QUEUE_GENERAL));
    uint32_t descriptors[2][8];
    memcpy(descriptors[0], source.sampled[0], sizeof(descriptors[0]));
    if (fmask)
        radeon_fmask_descriptor(from->image, from->vk.base_layer, from->vk.layer_count, descriptors[1]);
    radeon_meta_draw_descriptors(cmd, descriptors, fmask ? 2 : 1);
    radeon_meta_target(cmd, radeon_image_view_of(attachment->resolve_view), attachment->resolve_layout, aspect);
    radeon_meta_depth_state(cmd, aspect, 0);
    struct vk_graphics_pipeline *pipeline =
        resolve_pipeline(cmd, from->vk.format, aspect, attachment->resolve_mode, from->image->vk.samples, fmask);
    for (uint32_t layer = 0; layer < (views ? 32 : layers); layer++) {
        if (views && !(views >> layer & 1))
            continue;
        const struct radeon_meta_rectangle rectangle = {.rect = *area, .first_layer = layer, .layers = 1};
        const struct resolve_push push = {.layer = layer};
        radeon_meta_draw(cmd, pipeline, &rectangle, &push, sizeof(push));
    }
}

static const struct vk_attachment *attachment_of(const struct vk_rendering *rendering, uint32_t index,
                                                     VkImageAspectFlagBits *aspect_out)
{
    *aspect_out = index < VK_MAX_COLOR_ATTACHMENTS    ? VK_IMAGE_ASPECT_COLOR_BIT
                  : index == VK_MAX_COLOR_ATTACHMENTS ? VK_IMAGE_ASPECT_DEPTH_BIT
                                                : VK_IMAGE_ASPECT_STENCIL_BIT;
    return index < VK_MAX_COLOR_ATTACHMENTS    ? &rendering->colors[index]
           : index == VK_MAX_COLOR_ATTACHMENTS ? &rendering->depth
                                         : &rendering->stencil;
}

static bool is_resolved(const struct vk_attachment *attachment)
{
    return attachment->view && attachment->resolve_view;
}

/* What the rendering wrote must have left the backends, and the readers' caches must not know older texels. */
static uint32_t order_before_resolve(struct radeon_cmd_buffer *cmd, const struct vk_attachment *attachment,
                                     VkImageAspectFlagBits aspect)
{
    const struct radeon_image *image = radeon_image_of(attachment->view->image);
    bool is_color = aspect == VK_IMAGE_ASPECT_COLOR_BIT;
    return radeon_order_after(
               is_color ? VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT : VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
               is_color ? VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT : VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
               image) |
           radeon_order_before(VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT, image);
}

void radeon_meta_resolve_rendering(struct radeon_cmd_buffer *cmd)
{
    struct radeon_meta_saved saved;
    const struct vk_rendering *rendering = &saved.graphics.rendering;
    VkImageAspectFlagBits aspect;
    uint32_t resolved = 0;
    for (uint32_t i = 0; i < VK_MAX_COLOR_ATTACHMENTS + 2; i++)
        resolved |= (uint32_t)is_resolved(attachment_of(&cmd->vk.rendering, i, &aspect)) << i;
    if (!resolved)
        return;
    radeon_meta_draw_begin(cmd, &saved);
    bits_foreach (resolved, i) {
        const struct vk_attachment *attachment = attachment_of(rendering, (uint32_t)i, &aspect);
        cmd->due |= order_before_resolve(cmd, attachment, aspect);
    }
    bits_foreach (resolved, i) {
        const struct vk_attachment *attachment = attachment_of(rendering, (uint32_t)i, &aspect);
        resolve_attachment(cmd, attachment, aspect, &rendering->area, rendering->layers,
                           rendering->view_mask);
    }
    radeon_meta_draw_end(cmd, &saved);
    /* For the application all resolves are writes of the colour attachment output. */
    if (resolved >> VK_MAX_COLOR_ATTACHMENTS)
        cmd->due |= RADEON_OUT_ALL_DEPTH;
}

/* ---- vkCmdResolveImage2 ---- */

static void resolve_region(struct radeon_cmd_buffer *cmd, struct radeon_image *src, struct radeon_image *dst,
                           VkImageLayout layout, const VkImageResolve2 *region)
{
    bool is_int =
        src->vk.format_info->numeric == FORMAT_NUMERIC_UINT || src->vk.format_info->numeric == FORMAT_NUMERIC_SINT;
    struct radeon_image_view source, target;
    radeon_meta_view(cmd, &source, src, region->srcSubresource.aspectMask, region->srcSubresource.mipLevel,
                     region->srcSubresource.baseArrayLayer);
    radeon_meta_view(cmd, &target, dst, region->dstSubresource.aspectMask, region->dstSubresource.mipLevel,
                     region->dstSubresource.baseArrayLayer);
    radeon_meta_draw_descriptors(cmd, &source.sampled[0], 1);
    radeon_meta_target(cmd, &target, layout, VK_IMAGE_ASPECT_COLOR_BIT);
    struct radeon_meta_rectangle rectangle = {
        .rect = {{region->dstOffset.x, region->dstOffset.y}, {region->extent.width, region->extent.height}},
        .layers = 1,
    };
    struct resolve_push push = {
        .delta = {region->srcOffset.x - region->dstOffset.x, region->srcOffset.y - region->dstOffset.y}};
    struct vk_graphics_pipeline *pipeline = resolve_pipeline(
        cmd, dst->vk.format, VK_IMAGE_ASPECT_COLOR_BIT,
        is_int ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT : VK_RESOLVE_MODE_AVERAGE_BIT, src->vk.samples, false);
    for (; push.layer < vk_image_copy_layer_count(&src->vk, &region->srcSubresource); push.layer++) {
        rectangle.first_layer = push.layer;
        radeon_meta_draw(cmd, pipeline, &rectangle, &push, sizeof(push));
    }
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdResolveImage2(VkCommandBuffer handle, const VkResolveImageInfo2 *info)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    struct radeon_meta_saved saved;
    radeon_meta_draw_begin(cmd, &saved);
    for (uint32_t i = 0; i < info->regionCount; i++)
        resolve_region(cmd, radeon_image_from_handle(info->srcImage), radeon_image_from_handle(info->dstImage),
                       info->dstImageLayout, &info->pRegions[i]);
    radeon_meta_draw_end(cmd, &saved);
}
