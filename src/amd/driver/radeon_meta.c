/* The driver's part of vulkan/meta's operations. */
#include "amd/driver/radeon_meta.h"

#include <string.h>

#include "amd/driver/radeon_dma.h"
#include "amd/driver/radeon_fmask.h"
#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_metadata.h"
#include "amd/driver/radeon_sampler.h"
#include "compiler/ir/ir.h"

/* ---- shaders ---- */

/* All shaders see one set: images, buffers or samplers. */
static const struct amd_binding_layout meta_bindings[VK_META_BINDINGS] = {
    {.offset_B = 0 * RADEON_META_DESCRIPTOR_B, .stride_B = RADEON_META_DESCRIPTOR_B},
    {.offset_B = 1 * RADEON_META_DESCRIPTOR_B, .stride_B = RADEON_META_DESCRIPTOR_B},
    {.offset_B = 2 * RADEON_META_DESCRIPTOR_B, .stride_B = RADEON_META_DESCRIPTOR_B},
    {.offset_B = 3 * RADEON_META_DESCRIPTOR_B, .stride_B = RADEON_META_DESCRIPTOR_B},
};

static const struct amd_set_layout meta_set = {meta_bindings, VK_META_BINDINGS};

/* SPI_SHADER_COL_FORMAT [3:0], integers of 8 [4] or 10 bits [5]. */
static uint32_t target_traits(VkFormat vk_format)
{
    const struct radeon_format *format = radeon_format(vk_format);
    return (uint32_t)radeon_export_format(format, false, false) | (uint32_t)radeon_format_is_int8(format) << 4 |
           (uint32_t)radeon_format_is_int10(format) << 5;
}

static uint32_t target_slot(const struct vk_command_buffer *base, uint32_t attachment)
{
    return vk_color_slot(&((const struct radeon_cmd_buffer *)base)->graphics->slots, attachment);
}

static VkResult compile_shader(struct vk_device *base, struct ir_shader *ir, const struct vk_meta_shader_info *info,
                               struct vk_shader **shader_out)
{
    uint32_t traits = info->target_traits;
    const struct amd_stage_options stage = {
        .vs = {.outputs_known = true},
        .fs = {.color_formats = (traits & 0xf) << 4 * info->target,
               .color_is_int8 = (uint8_t)((traits >> 4 & 1) << info->target),
               .color_is_int10 = (uint8_t)((traits >> 5 & 1) << info->target)},
    };
    const struct amd_compile_options options = {
        .wave_size = 64, .sets = &meta_set, .num_sets = 1, .stage = ir->stage == IR_STAGE_compute ? NULL : &stage};
    struct radeon_shader *shader;
    VkResult result = radeon_shader_compile_internal(radeon_device_of(base), ir, &options, &shader);
    if (result != VK_SUCCESS)
        return result;
    shader->area.push_size_B = RADEON_MAX_PUSH_B;
    *shader_out = &shader->vk;
    return VK_SUCCESS;
}

/* ---- descriptors ---- */

static void write_bindings(struct radeon_cmd_buffer *cmd, const struct vk_meta_binding *bindings, uint32_t count,
                           uint32_t words_out[VK_META_BINDINGS][8])
{
    for (uint32_t i = 0; i < count; i++)
        radeon_meta_write_binding(cmd, &bindings[i], words_out[i]);
}

/* ---- dispatches ---- */

static void dispatch(struct vk_command_buffer *base, const struct vk_shader *shader,
                     const struct vk_meta_binding *bindings, uint32_t count, const void *push, uint32_t push_size_B,
                     const uint32_t groups[3])
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_of(base);
    uint32_t descriptors[VK_META_BINDINGS][8];
    write_bindings(cmd, bindings, count, descriptors);
    radeon_meta_dispatch(cmd, shader, (const uint32_t(*)[8])descriptors, count, push, push_size_B, groups);
}

/* ---- draws ---- */

struct saved {
    struct radeon_graphics_saved graphics;
    struct radeon_image_view target;
    struct vk_bindings_saved bindings;
    uint8_t push[RADEON_MAX_PUSH_B];
};
_Static_assert(sizeof(struct saved) <= sizeof(struct vk_meta_saved), "what is kept around draws");

static bool can_draw(const struct vk_command_buffer *base, VkFormat format)
{
    return !((const struct radeon_cmd_buffer *)base)->is_compute && radeon_format(format)->color.format;
}

static void draw_begin(struct vk_command_buffer *base, struct vk_meta_saved *room)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_of(base);
    struct saved *saved = (struct saved *)room->bytes;
    radeon_graphics_save(cmd, &saved->graphics);
    radeon_write_all_targets(cmd);
    vk_bindings_save(&cmd->vk.rec->bindings[VK_BIND_GRAPHICS], &saved->bindings);
    memcpy(saved->push, cmd->push_constants, sizeof(saved->push));
    radeon_meta_begin(cmd);
    cmd->graphics->special = (struct radeon_special){0};
    cmd->vk.rec->rendering.view_mask = 0; /* layers are counted by instances */
    cmd->graphics->dirty |= RADEON_DIRTY_SPECIAL | RADEON_DIRTY_OCCLUSION;
}

static void draw_end(struct vk_command_buffer *base, const struct vk_meta_saved *room)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_of(base);
    const struct saved *saved = (const struct saved *)room->bytes;
    vk_bindings_restore(&cmd->vk.rec->bindings[VK_BIND_GRAPHICS], &saved->bindings);
    memcpy(cmd->push_constants, saved->push, sizeof(saved->push));
    radeon_meta_end(cmd);
    radeon_graphics_restore(cmd, &saved->graphics);
}

static void set_target(struct vk_command_buffer *base, struct vk_meta_saved *room, const struct vk_meta_view *view,
                       VkImageLayout layout)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_of(base);
    struct radeon_image_view *target = &((struct saved *)room->bytes)->target;
    const VkImageViewCreateInfo info = vk_meta_view_info(view);
    struct vk_meta_target rendering;
    radeon_image_view_init(cmd->device, target, &info, NULL);
    vk_meta_target_init(&rendering, view, &target->vk, target->vk.layer_count, layout);
    radeon_set_targets(cmd, &rendering.info);
}

static void bind_resources(struct vk_command_buffer *base, const struct vk_meta_binding *in, uint32_t count)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_of(base);
    uint32_t descriptors[VK_META_BINDINGS][8];
    uint64_t va;
    uint32_t *set = radeon_cmd_upload(cmd, count * RADEON_META_DESCRIPTOR_B, RADEON_META_DESCRIPTOR_B, &va);
    if (!set)
        return;
    write_bindings(cmd, in, count, descriptors);
    memcpy(set, descriptors, count * RADEON_META_DESCRIPTOR_B);
    vk_bindings_set_own(&cmd->vk.rec->bindings[VK_BIND_GRAPHICS], va);
}

static void draw(struct vk_command_buffer *base, struct vk_graphics_pipeline *pipeline,
                 const struct vk_meta_rectangle *rectangle, const void *push, uint32_t push_size_B)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_of(base);
    radeon_graphics_bind(cmd, pipeline);
    memcpy(cmd->push_constants, push, push_size_B);
    cmd->push_dirty |= VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    if (!radeon_before_draw(cmd))
        return;
    /* The state has been written: from here on only the predicate asks whose draw it is. */
    cmd->meta_depth -= rectangle->predicated;
    radeon_draw_internal(cmd, 3, rectangle->layers, rectangle->first_layer);
    cmd->meta_depth += rectangle->predicated;
}

static void barrier(struct vk_command_buffer *base, const struct vk_image *image, VkPipelineStageFlags2 src_stages,
                    VkAccessFlags2 src_access, VkPipelineStageFlags2 dst_stages, VkAccessFlags2 dst_access)
{
    const struct radeon_image *own = (const struct radeon_image *)image;
    radeon_cmd_of(base)->due |=
        radeon_order_after(src_stages, src_access, own) | radeon_order_before(dst_stages, dst_access, own);
}

/* ---- hooks ---- */

/* Copies read through DCC where it is in use. */
static VkFormat read_format(const struct vk_command_buffer *base, const struct vk_image *image, uint32_t level,
                            VkImageLayout layout)
{
    const struct radeon_image *own = (const struct radeon_image *)image;
    uint32_t queue_mask =
        radeon_image_queue_mask(own, VK_QUEUE_FAMILY_IGNORED, ((const struct radeon_cmd_buffer *)base)->family);
    return radeon_layout_dcc_compressed(own, level, layout, queue_mask) ? radeon_dcc_bits_format(own)
                                                                        : VK_FORMAT_UNDEFINED;
}

static bool copy_memory(struct vk_command_buffer *base, const struct vk_meta_memory_copy *copy)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_of(base);
    if (copy->image.element_B == 12) {
        radeon_meta_copy_memory_rows(cmd, copy);
        return true;
    }
    if (!cmd->is_transfer)
        return radeon_meta_copy_tiled(cmd, copy);
    radeon_dma_copy_memory(cmd, copy);
    return true;
}

static bool copy_image(struct vk_command_buffer *base, const struct vk_meta_image_copy *copy)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_of(base);
    if (copy->src.element_B == 12) {
        radeon_meta_copy_image_rows(cmd, copy);
        return true;
    }
    if (!cmd->is_transfer)
        return copy->src.read_format == VK_FORMAT_UNDEFINED && radeon_meta_copy_raw(cmd, copy);
    radeon_dma_copy_image(cmd, copy);
    return true;
}

static bool fill_image(struct vk_command_buffer *base, const struct vk_meta_fill *fill)
{
    if (fill->element_B != 12)
        return radeon_meta_fill_memory(radeon_cmd_of(base), fill);
    radeon_meta_fill_rows(radeon_cmd_of(base), fill);
    return true;
}

/* By metadata, which no predicate holds back. */
static bool clear_attachment(struct vk_command_buffer *base, const VkClearAttachment *clear,
                             const struct vk_meta_rectangle *rectangle, uint32_t view_mask)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_of(base);
    return !(rectangle->predicated && cmd->predicate.enabled) &&
           radeon_fast_clear_attachment(cmd, clear, rectangle, view_mask);
}

static bool resolve_attachment(struct vk_command_buffer *base, const struct vk_attachment *attachment,
                               const struct vk_rendering *rendering)
{
    return radeon_meta_resolve(radeon_cmd_of(base), attachment, rendering);
}

static bool has_fmask(const struct vk_command_buffer *base, const struct vk_image *image, VkImageLayout layout)
{
    (void)base;
    const struct radeon_image *own = (const struct radeon_image *)image;
    return radeon_layout_fmask_compressed(own, layout,
                                          radeon_image_queue_mask(own, VK_QUEUE_FAMILY_IGNORED, RADEON_QUEUE_GENERAL));
}

static const struct vk_meta_sample_map_ops fmask_ops = {
    .is_used = has_fmask,
    .fetch = radeon_fmask_fetch,
    .place = radeon_fmask_fragment,
};

const struct vk_meta_ops radeon_meta_ops = {
    .compile = compile_shader,
    .target_traits = target_traits,
    .target_slot = target_slot,
    .rectangle_topology = RADEON_TOPOLOGY_RECT_LIST,
    .can_draw = can_draw,
    .dispatch = dispatch,
    .draw_begin = draw_begin,
    .draw_end = draw_end,
    .set_target = set_target,
    .bind = bind_resources,
    .draw = draw,
    .barrier = barrier,
    .read_format = read_format,
    .copy_memory = copy_memory,
    .copy_image = copy_image,
    .fill_image = fill_image,
    .clear_attachment = clear_attachment,
    .resolve_attachment = resolve_attachment,
    .sample_map = &fmask_ops,
};
