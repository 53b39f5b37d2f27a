/* Resolves: a fragment shader reads the samples of a pixel and the target takes what becomes of them, so that formats
 * are converted as for any draw. At the end of a rendering, and by vkCmdResolveImage2. */
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"
#include "vulkan/meta/vk_meta_entrypoints.h"
#include "vulkan/runtime/memory/vk_image.h"

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

/* VkResolveModeFlagBits [7:0], log2 of the samples [11:8], the aspect [19:12], a sample map is at binding 1 [20]. */
#define RESOLVE_KEY(mode, samples_log2, aspect, is_mapped)                                                             \
    ((uint64_t)(mode) | (uint64_t)(samples_log2) << 8 | (uint64_t)(aspect) << 12 | (uint64_t)(is_mapped) << 20)

static struct ir_value *combine_samples(struct ir_builder *b, VkResolveModeFlagBits mode, bool is_stencil,
                                        struct ir_value *x, struct ir_value *y)
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

/* Combines all samples; `map` NULL: each is where its number says. */
static void all_samples(struct ir_builder *b, uint64_t key, const struct vk_meta_sample_map_ops *map_ops,
                        struct ir_value *const at[3], struct ir_value *map, uint32_t comps, struct ir_value *result[4])
{
    VkResolveModeFlagBits mode = key & 0xff;
    bool is_stencil = (key >> 12 & 0xff) == VK_IMAGE_ASPECT_STENCIL_BIT;
    uint32_t samples = mode == VK_RESOLVE_MODE_SAMPLE_ZERO_BIT ? 1 : 1u << (key >> 8 & 0xf);
    for (uint32_t sample = 0; sample < samples; sample++) {
        struct ir_value *place = map ? map_ops->place(b, map, sample) : ir_const(b, 32, sample);
        struct ir_value *texel = vk_meta_fetch(b, VK_META_MS, at, place);
        for (uint32_t i = 0; i < comps; i++) {
            struct ir_value *channel = ir_extract(b, texel, i);
            result[i] = sample ? combine_samples(b, mode, is_stencil, result[i], channel) : channel;
        }
    }
    for (uint32_t i = 0; mode == VK_RESOLVE_MODE_AVERAGE_BIT && i < comps; i++)
        result[i] = ir_fmul(b, result[i], ir_const_f(b, 32, 1.0 / samples));
}

/* Most pixels lie within one primitive: all their samples are the first one, and there is nothing to combine. */
static void build_resolve(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    VkImageAspectFlagBits aspect = key >> 12 & 0xff;
    uint32_t comps = aspect == VK_IMAGE_ASPECT_COLOR_BIT ? 4 : 1;
    struct ir_value *place = ir_load_sysval(b, 32, 4, IR_SYSVAL_frag_coord), *at[3], *result[4], *first[4];
    b->shader->sysvals_read |= 1ull << IR_SYSVAL_frag_coord;
    for (uint32_t i = 0; i < 2; i++)
        at[i] = ir_iadd(b, ir_f2i(b, 32, ir_extract(b, place, i)), vk_meta_push(b, RESOLVE_DELTA + i));
    at[2] = vk_meta_push(b, RESOLVE_LAYER);
    if (key >> 20 & 1) {
        struct ir_value *map = ops->sample_map->fetch(b, 1, at), *zero = ir_const(b, 32, 0);
        struct ir_if *node = ir_builder_push_if(b, ir_ieq(b, map, zero));
        struct ir_value *texel = vk_meta_fetch(b, VK_META_MS, at, zero);
        for (uint32_t i = 0; i < comps; i++)
            first[i] = ir_extract(b, texel, i);
        ir_builder_push_else(b);
        all_samples(b, key, ops->sample_map, at, map, comps, result);
        ir_builder_pop_if(b);
        for (uint32_t i = 0; i < comps; i++)
            result[i] = ir_if_phi(b, node, first[i], result[i]);
    } else {
        all_samples(b, key, NULL, at, NULL, comps, result);
    }
    vk_meta_output(b, key, aspect, ir_vec(b, comps, result));
}

/* ---- one source, one target ---- */

static struct vk_graphics_pipeline *resolve_pipeline(struct vk_command_buffer *cmd, VkFormat format,
                                                     VkImageAspectFlagBits aspect, VkResolveModeFlagBits mode,
                                                     uint32_t samples, bool is_mapped)
{
    uint64_t key = VK_META_KEY(VK_META_RESOLVE, RESOLVE_KEY(mode, log2_floor(samples), aspect, is_mapped));
    if (aspect == VK_IMAGE_ASPECT_COLOR_BIT)
        key |= vk_meta_target_key(vk_meta_ops_of(cmd), format, 0);
    return vk_meta_pipeline(cmd, key, build_resolve);
}

/* ---- at the end of a rendering ---- */

/* With views the layers are those of the mask. */
static void resolve_attachment(struct vk_command_buffer *cmd, struct vk_meta_saved *saved,
                               const struct vk_attachment *attachment, VkImageAspectFlagBits aspect,
                               const struct vk_rendering *rendering)
{
    const struct vk_meta_ops *ops = vk_meta_ops_of(cmd);
    const struct vk_meta_sample_map_ops *map_ops = ops->sample_map;
    const struct vk_image_view *from = attachment->view;
    if (aspect == VK_IMAGE_ASPECT_COLOR_BIT && ops->resolve_attachment &&
        ops->resolve_attachment(cmd, attachment, rendering))
        return;
    bool is_mapped =
        aspect == VK_IMAGE_ASPECT_COLOR_BIT && map_ops && map_ops->is_used(cmd, from->image, attachment->layout);
    const struct vk_meta_view source = vk_meta_view_of(from, aspect),
                              target = vk_meta_view_of(attachment->resolve_view, aspect);
    const struct vk_meta_binding bindings[] = {{VK_META_SAMPLED_IMAGE, .view = source},
                                               {VK_META_SAMPLE_MAP, .view = source}};
    vk_meta_bind(cmd, bindings, is_mapped ? 2 : 1);
    vk_meta_set_target(cmd, saved, &target, attachment->resolve_layout);
    vk_meta_depth_state(cmd, aspect, 0);
    struct vk_graphics_pipeline *pipeline =
        resolve_pipeline(cmd, from->format, aspect, attachment->resolve_mode, from->image->samples, is_mapped);
    uint32_t views = rendering->view_mask;
    for (uint32_t layer = 0; layer < (views ? 32 : rendering->layers); layer++) {
        if (views && !(views >> layer & 1))
            continue;
        const struct vk_meta_rectangle rectangle = {.rect = rendering->area, .first_layer = layer, .layers = 1};
        const struct resolve_push push = {.layer = layer};
        vk_meta_draw(cmd, pipeline, &rectangle, &push, sizeof(push));
    }
}

enum {
    DEPTH = VK_MAX_COLOR_ATTACHMENTS, /* numbers of attachments after the colours */
    STENCIL,
    ATTACHMENTS
};

static const struct vk_attachment *attachment_of(const struct vk_rendering *rendering, uint32_t index,
                                                 VkImageAspectFlagBits *aspect_out)
{
    *aspect_out = index < DEPTH    ? VK_IMAGE_ASPECT_COLOR_BIT
                  : index == DEPTH ? VK_IMAGE_ASPECT_DEPTH_BIT
                                   : VK_IMAGE_ASPECT_STENCIL_BIT;
    return index < DEPTH ? &rendering->colors[index] : index == DEPTH ? &rendering->depth : &rendering->stencil;
}

static bool is_resolved(const struct vk_attachment *attachment)
{
    return attachment->view && attachment->resolve_view;
}

/* Writes of the rendering are seen by the shaders that read them. */
static void wait_for_attachment(struct vk_command_buffer *cmd, const struct vk_attachment *attachment,
                                VkImageAspectFlagBits aspect)
{
    bool is_color = aspect == VK_IMAGE_ASPECT_COLOR_BIT;
    vk_meta_ops_of(cmd)->barrier(
        cmd, attachment->view->image,
        is_color ? VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT : VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
        is_color ? VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT : VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
        VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT);
}

void vk_meta_resolve_rendering(struct vk_command_buffer *cmd)
{
    VkImageAspectFlagBits aspect;
    uint32_t resolved = 0;
    for (uint32_t i = 0; i < ATTACHMENTS; i++)
        resolved |= (uint32_t)is_resolved(attachment_of(&cmd->rec->rendering, i, &aspect)) << i;
    if (!resolved)
        return;
    /* The targets of the resolves take the rendering's place. */
    const struct vk_rendering rendering = cmd->rec->rendering;
    struct vk_meta_saved saved;
    vk_meta_draw_begin(cmd, &saved);
    bits_foreach (resolved, i) {
        const struct vk_attachment *attachment = attachment_of(&rendering, (uint32_t)i, &aspect);
        wait_for_attachment(cmd, attachment, aspect);
    }
    bits_foreach (resolved, i) {
        const struct vk_attachment *attachment = attachment_of(&rendering, (uint32_t)i, &aspect);
        resolve_attachment(cmd, &saved, attachment, aspect, &rendering);
    }
    vk_meta_draw_end(cmd, &saved);
    /* For the application all resolves are writes of the colour attachment output. */
    if (resolved >> DEPTH)
        vk_meta_ops_of(cmd)->barrier(cmd, NULL, VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
                                     VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
                                     VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, 0);
}

/* ---- vkCmdResolveImage2 ---- */

static void resolve_region(struct vk_command_buffer *cmd, struct vk_meta_saved *saved, struct vk_image *src,
                           struct vk_image *dst, VkImageLayout layout, const VkImageResolve2 *region)
{
    const VkImageSubresourceLayers *from = &region->srcSubresource, *to = &region->dstSubresource;
    const struct vk_meta_binding binding = {
        VK_META_SAMPLED_IMAGE, .view = vk_meta_view(src, from->aspectMask, from->mipLevel, from->baseArrayLayer)};
    const struct vk_meta_view target = vk_meta_view(dst, to->aspectMask, to->mipLevel, to->baseArrayLayer);
    vk_meta_bind(cmd, &binding, 1);
    vk_meta_set_target(cmd, saved, &target, layout);
    struct vk_meta_rectangle rectangle = {
        .rect = {{region->dstOffset.x, region->dstOffset.y}, {region->extent.width, region->extent.height}},
        .layers = 1,
    };
    struct resolve_push push = {
        .delta = {region->srcOffset.x - region->dstOffset.x, region->srcOffset.y - region->dstOffset.y}};
    struct vk_graphics_pipeline *pipeline = resolve_pipeline(
        cmd, dst->format, VK_IMAGE_ASPECT_COLOR_BIT,
        format_is_integer(src->format_info) ? VK_RESOLVE_MODE_SAMPLE_ZERO_BIT : VK_RESOLVE_MODE_AVERAGE_BIT,
        src->samples, false);
    for (; push.layer < vk_image_copy_layer_count(src, from); push.layer++) {
        rectangle.first_layer = push.layer;
        vk_meta_draw(cmd, pipeline, &rectangle, &push, sizeof(push));
    }
}

VKAPI_ATTR void VKAPI_CALL vk_meta_CmdResolveImage2(VkCommandBuffer handle, const VkResolveImageInfo2 *info)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    struct vk_meta_saved saved;
    vk_meta_draw_begin(cmd, &saved);
    for (uint32_t i = 0; i < info->regionCount; i++)
        resolve_region(cmd, &saved, vk_image_from_handle(info->srcImage), vk_image_from_handle(info->dstImage),
                       info->dstImageLayout, &info->pRegions[i]);
    vk_meta_draw_end(cmd, &saved);
}
