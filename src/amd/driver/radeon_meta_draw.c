/* Draws of the driver's own: pipelines that are a rectangle and a fragment shader made for the occasion, and what of a
 * command buffer's state has to be put aside for them. */
#include <string.h>

#include "amd/driver/radeon_image.h"
#include "amd/driver/radeon_meta.h"
#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/runtime/vk_alloc.h"

/* ---- what a pipeline writes to ---- */

/* Target [34:32], SPI_SHADER_COL_FORMAT [38:35], integers of 8 [39] or 10 bits [40]. */
uint64_t radeon_meta_target_key(VkFormat vk_format, uint32_t target)
{
    const struct radeon_format *format = radeon_format(vk_format);
    return (uint64_t)target << 32 | (uint64_t)radeon_export_format(format, false, false) << 35 |
           (uint64_t)radeon_format_is_int8(format) << 39 | (uint64_t)radeon_format_is_int10(format) << 40;
}

uint32_t radeon_meta_key_target(uint64_t key)
{
    return key >> 32 & 7;
}

static void stage_options(uint64_t key, struct amd_stage_options *options)
{
    uint32_t target = radeon_meta_key_target(key);
    *options = (struct amd_stage_options){
        .vs = {.outputs_known = true},
        .fs = {.color_formats = (uint32_t)(key >> 35 & 0xf) << 4 * target,
               .color_is_int8 = (uint8_t)((key >> 39 & 1) << target),
               .color_is_int10 = (uint8_t)((key >> 40 & 1) << target)},
    };
}

/* ---- pipelines ---- */

/* Three corners of the viewport; an instance is a layer. */
static void build_rectangle(struct ir_builder *b, uint64_t key)
{
    (void)key;
    struct ir_shader *shader = b->shader;
    struct ir_value *zero = ir_const(b, 32, 0), *one = ir_const_f(b, 32, 1.0), *minus_one = ir_const_f(b, 32, -1.0);
    struct ir_value *corner = ir_load_sysval(b, 32, 1, IR_SYSVAL_vertex_index);
    struct ir_value *position[4] = {
        ir_select(b, ir_ieq(b, corner, ir_const(b, 32, 2)), one, minus_one),
        ir_select(b, ir_ieq(b, corner, ir_const(b, 32, 1)), one, minus_one),
        radeon_meta_push(b, 0),
        one,
    };
    ir_store_output(b, ir_vec(b, 4, position), zero, IR_LOCATION_position, 0, 0);
    ir_store_output(b, ir_load_sysval(b, 32, 1, IR_SYSVAL_instance_index), zero, IR_LOCATION_layer, 0, 0);
    shader->sysvals_read |= 1ull << IR_SYSVAL_vertex_index | 1ull << IR_SYSVAL_instance_index;
    shader->vs.writes_layer = true;
}

/* Of a pipeline that no application sees, only what a bind looks at is there. The shaders are the map's. */
static VkResult create_pipeline(struct radeon_device *device, uint64_t key, radeon_meta_build_fn build_fn,
                                struct vk_graphics_pipeline **pipeline_out)
{
    struct radeon_shader *vertex, *fragment;
    struct amd_stage_options options;
    stage_options(key, &options);
    VkResult result = radeon_meta_get_shader(device, IR_STAGE_vertex, &options,
                                             RADEON_META_KEY(RADEON_META_RECTANGLE, 0), build_rectangle, &vertex);
    if (result == VK_SUCCESS)
        result = radeon_meta_get_shader(device, IR_STAGE_fragment, &options, key, build_fn, &fragment);
    if (result != VK_SUCCESS)
        return result;
    struct vk_graphics_pipeline *pipeline =
        vk_zalloc(&device->vk.alloc, NULL, sizeof(*pipeline), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!pipeline)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pipeline->base.bind_point = VK_PIPELINE_BIND_POINT_GRAPHICS;
    pipeline->base.shaders[vk_stage_index(VK_SHADER_STAGE_VERTEX_BIT)] = &vertex->vk;
    pipeline->base.shaders[vk_stage_index(VK_SHADER_STAGE_FRAGMENT_BIT)] = &fragment->vk;
    result = radeon_graphics_pipeline_init(&device->vk, &pipeline->base, NULL, NULL);
    if (result == VK_SUCCESS && !map64_set(&device->meta->pipelines, key, (uintptr_t)pipeline)) {
        radeon_graphics_pipeline_finish(&device->vk, &pipeline->base, NULL);
        result = VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (result != VK_SUCCESS)
        vk_free(&device->vk.alloc, NULL, pipeline);
    *pipeline_out = pipeline;
    return result;
}

struct vk_graphics_pipeline *radeon_meta_pipeline(struct radeon_cmd_buffer *cmd, uint64_t key,
                                                  radeon_meta_build_fn build_fn)
{
    struct radeon_meta *meta = cmd->device->meta;
    struct vk_graphics_pipeline *pipeline = NULL;
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&meta->lock);
    const uint64_t *found = map64_get(&meta->pipelines, key);
    if (found)
        pipeline = (struct vk_graphics_pipeline *)(uintptr_t)*found;
    else
        result = create_pipeline(cmd->device, key, build_fn, &pipeline);
    pthread_mutex_unlock(&meta->lock);
    vk_command_buffer_set_error(&cmd->vk, result);
    return result == VK_SUCCESS ? pipeline : NULL;
}

void radeon_meta_draw_finish(struct radeon_device *device)
{
    for (struct map64_slot *slot = NULL; (slot = map64_next(&device->meta->pipelines, slot));) {
        struct vk_graphics_pipeline *pipeline = (struct vk_graphics_pipeline *)(uintptr_t)slot->value;
        radeon_graphics_pipeline_finish(&device->vk, &pipeline->base, NULL);
        vk_free(&device->vk.alloc, NULL, pipeline);
    }
    map64_finish(&device->meta->pipelines);
}

/* ---- around draws ---- */

/* Everything at its default; a rectangle list, of any depth. */
static void default_state(struct vk_dynamic_graphics_state *dyn, uint32_t samples)
{
    struct vk_graphics_state state;
    vk_graphics_state_init(&state);
    vk_graphics_state_complete(&state);
    *dyn = state.dyn;
    dyn->ia.topology = RADEON_TOPOLOGY_RECT_LIST;
    dyn->rs.depth_clip = VK_DEPTH_CLIP_OFF;
    dyn->ms.samples = (uint8_t)MAX2(samples, 1);
    dyn->vp.viewport_count = dyn->vp.scissor_count = 1;
    memset(dyn->cb.write_masks, 0xf, sizeof(dyn->cb.write_masks));
    dyn->dirty = dyn->set;
}

void radeon_meta_draw_begin(struct radeon_cmd_buffer *cmd, struct radeon_meta_saved *saved)
{
    struct radeon_bindings *bindings = &cmd->bindings[RADEON_BIND_GRAPHICS];
    radeon_graphics_save(cmd, &saved->graphics);
    saved->set_va = bindings->set_va[0];
    saved->valid_sets = bindings->valid;
    saved->push_set_dirty = bindings->push_dirty;
    memcpy(saved->push, cmd->push_constants, sizeof(saved->push));
    radeon_meta_begin(cmd);
    bindings->push_dirty = false;
    default_state(&cmd->vk.dynamic_state, cmd->vk.rendering.samples);
    cmd->graphics.special = (struct radeon_special){0};
    cmd->vk.rendering.view_mask = 0; /* layers are counted here */
    cmd->graphics.dirty |= RADEON_DIRTY_SPECIAL | RADEON_DIRTY_OCCLUSION;
}

void radeon_meta_draw_end(struct radeon_cmd_buffer *cmd, const struct radeon_meta_saved *saved)
{
    struct radeon_bindings *bindings = &cmd->bindings[RADEON_BIND_GRAPHICS];
    bindings->set_va[0] = saved->set_va;
    bindings->valid = saved->valid_sets;
    bindings->push_dirty = saved->push_set_dirty;
    memcpy(cmd->push_constants, saved->push, sizeof(saved->push));
    radeon_meta_end(cmd);
    radeon_graphics_restore(cmd, &saved->graphics);
}

/* ---- targets and sources ---- */

void radeon_meta_view(struct radeon_cmd_buffer *cmd, struct radeon_image_view *view, struct radeon_image *image,
                      VkImageAspectFlags aspects, uint32_t level, uint32_t first_layer)
{
    bool is_3d = image->vk.type == VK_IMAGE_TYPE_3D;
    radeon_image_view_init(cmd->device, view,
                           &(const VkImageViewCreateInfo){
                               .sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
                               .image = radeon_image_to_handle(image),
                               .viewType = radeon_meta_view_type(radeon_meta_shape(image)),
                               .format = image->vk.format,
                               .subresourceRange = {.aspectMask = aspects,
                                                    .baseMipLevel = level,
                                                    .levelCount = 1,
                                                    .baseArrayLayer = is_3d ? 0 : first_layer,
                                                    .layerCount = is_3d ? 1 : image->vk.layers - first_layer},
                           },
                           NULL);
}

void radeon_meta_target(struct radeon_cmd_buffer *cmd, struct radeon_image_view *view, VkImageLayout layout,
                        VkImageAspectFlags aspects)
{
    const struct radeon_image *image = view->image;
    VkExtent3D extent = vk_image_level_extent(&image->vk, view->vk.base_level);
    const VkRenderingAttachmentInfo attachment = {
        .sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
        .imageView = radeon_image_view_to_handle(view),
        .imageLayout = layout,
    };
    radeon_set_targets(
        cmd, &(const VkRenderingInfo){
                 .sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
                 .renderArea.extent = {extent.width, extent.height},
                 .layerCount = view->vk.layer_count,
                 .colorAttachmentCount = !(aspects & (VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT)),
                 .pColorAttachments = &attachment,
                 .pDepthAttachment = aspects & VK_IMAGE_ASPECT_DEPTH_BIT ? &attachment : NULL,
                 .pStencilAttachment = aspects & VK_IMAGE_ASPECT_STENCIL_BIT ? &attachment : NULL,
             });
    cmd->vk.dynamic_state.ms.samples = (uint8_t)image->vk.samples;
    cmd->vk.dynamic_state.dirty |= VK_DYN(SAMPLES);
}

void radeon_meta_depth_state(struct radeon_cmd_buffer *cmd, VkImageAspectFlags aspects, uint32_t stencil)
{
    struct vk_depth_stencil_state *ds = &cmd->vk.dynamic_state.ds;
    ds->depth_test_enable = ds->depth_write_enable = aspects & VK_IMAGE_ASPECT_DEPTH_BIT;
    ds->depth_compare_op = VK_COMPARE_OP_ALWAYS;
    ds->stencil_test_enable = aspects & VK_IMAGE_ASPECT_STENCIL_BIT;
    for (int face = VK_STENCIL_FRONT; face <= VK_STENCIL_BACK; face++) {
        ds->stencil_ops[face] = (struct vk_stencil_ops){VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_REPLACE,
                                                        VK_STENCIL_OP_REPLACE, VK_COMPARE_OP_ALWAYS};
        ds->stencil_compare_mask[face] = ds->stencil_write_mask[face] = 0xff;
        ds->stencil_reference[face] = (uint8_t)stencil;
    }
    cmd->vk.dynamic_state.dirty |= VK_DYN_GROUP_DEPTH_STENCIL;
}

void radeon_meta_draw_descriptors(struct radeon_cmd_buffer *cmd, const uint32_t (*descriptors)[8], uint32_t count)
{
    struct radeon_bindings *bindings = &cmd->bindings[RADEON_BIND_GRAPHICS];
    uint64_t va;
    uint32_t *set = radeon_cmd_upload(cmd, count * sizeof(*descriptors), sizeof(*descriptors), &va);
    if (!set)
        return;
    memcpy(set, descriptors, count * sizeof(*descriptors));
    bindings->set_va[0] = va;
    bindings->valid |= 1;
    bindings->dirty |= 1;
}

static void set_rectangle(struct radeon_cmd_buffer *cmd, const VkRect2D *rect)
{
    struct vk_dynamic_graphics_state *dyn = &cmd->vk.dynamic_state;
    dyn->vp.viewports[0] = (VkViewport){(float)rect->offset.x,
                                        (float)rect->offset.y,
                                        (float)rect->extent.width,
                                        (float)rect->extent.height,
                                        0.0f,
                                        1.0f};
    dyn->vp.scissors[0] = *rect;
    dyn->dirty |= VK_DYN(VIEWPORTS) | VK_DYN(SCISSORS);
}

void radeon_meta_draw(struct radeon_cmd_buffer *cmd, struct vk_graphics_pipeline *pipeline,
                      const struct radeon_meta_rectangle *rectangle, const void *push, uint32_t push_size_B)
{
    const VkRect2D *rect = &rectangle->rect;
    if (!pipeline || !rect->extent.width || !rect->extent.height || !rectangle->layers)
        return;
    radeon_graphics_bind(cmd, pipeline);
    set_rectangle(cmd, rect);
    memcpy(cmd->push_constants, push, push_size_B);
    cmd->push_dirty |= VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    if (!radeon_before_draw(cmd))
        return;
    /* The state has been written: from here on only the predicate asks whose draw it is. */
    cmd->meta_depth -= rectangle->predicated;
    radeon_draw_internal(cmd, 3, rectangle->layers, rectangle->first_layer);
    cmd->meta_depth += rectangle->predicated;
}

/* ---- pieces that the fragment shaders share ---- */

struct ir_value *radeon_meta_texture(struct ir_builder *b, uint32_t binding)
{
    return ir_resource(b, ir_const(b, 32, 0), 0, binding, IR_RESOURCE_sampled_image);
}

struct ir_value *radeon_meta_fetch(struct ir_builder *b, enum radeon_meta_shape shape, struct ir_value *const at[3],
                                   struct ir_value *sample)
{
    struct ir_value *parts[3], *values[2];
    uint32_t count = 0;
    parts[count++] = at[0];
    if (shape != RADEON_META_1D)
        parts[count++] = at[1];
    parts[count++] = at[2];
    values[0] = ir_vec(b, count, parts);
    values[1] = sample ? sample : ir_const(b, 32, 0);
    return ir_tex(b, 32, 4, radeon_meta_texture(b, 0), ir_undef(b, 32, 1), 2, values, IR_TEX_KIND_fetch,
                  radeon_meta_dim(shape), shape != RADEON_META_3D, 1u << (sample ? IR_TEX_sample : IR_TEX_lod), 0, 0);
}

void radeon_meta_output(struct ir_builder *b, uint64_t key, VkImageAspectFlagBits aspect, struct ir_value *value)
{
    struct ir_value *zero = ir_const(b, 32, 0);
    switch (aspect) {
    case VK_IMAGE_ASPECT_DEPTH_BIT:
        ir_store_output(b, ir_extract(b, value, 0), zero, IR_LOCATION_frag_depth, 0, 0);
        b->shader->fs.writes_depth = true;
        break;
    case VK_IMAGE_ASPECT_STENCIL_BIT:
        ir_store_output(b, ir_extract(b, value, 0), zero, IR_LOCATION_frag_stencil, 0, 0);
        b->shader->fs.writes_stencil = true;
        break;
    default:
        ir_store_output(b, value, zero, IR_LOCATION_VAR0 + radeon_meta_key_target(key), 0, 0);
        break;
    }
}
