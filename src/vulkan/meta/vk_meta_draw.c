/* Rectangles that are drawn: pipelines of a fragment shader made for the occasion, the state that such draws are made
 * with, and their targets. */
#include <string.h>

#include "compiler/ir/ir_builder.h"
#include "util/bits.h"
#include "vulkan/meta/vk_meta_build.h"
#include "vulkan/runtime/memory/vk_image.h"
#include "vulkan/runtime/object/vk_alloc.h"
#include "vulkan/runtime/pipeline/vk_pipeline.h"

/* ---- what a pipeline writes to ---- */

/* Target [34:32], traits of its format [54:35], there is one [55]. */
#define HAS_TARGET (1ull << 55)

uint64_t vk_meta_target_key(const struct vk_meta_ops *ops, VkFormat format, uint32_t target)
{
    uint64_t traits = ops->target_traits ? ops->target_traits(format) : 0;
    return HAS_TARGET | traits << 35 | (uint64_t)target << 32;
}

static struct vk_meta_shader_info info_of(uint64_t key)
{
    return (struct vk_meta_shader_info){
        .writes_target = key & HAS_TARGET,
        .target = vk_meta_key_target(key),
        .target_traits = (uint32_t)(key >> 35 & bits_mask(VK_META_TRAIT_BITS)),
    };
}

/* ---- pipelines ---- */

/* Three vertices; an instance is a layer. They are corners of the viewport, or of a triangle of twice its size that has
 * the first one in common with it. */
static void build_rectangle(struct ir_builder *b, uint64_t key, const struct vk_meta_ops *ops)
{
    (void)key;
    struct ir_shader *shader = b->shader;
    bool is_triangle = ops->rectangle_topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    struct ir_value *zero = ir_const(b, 32, 0), *first = ir_const_f(b, 32, -1.0), *one = ir_const_f(b, 32, 1.0),
                    *other = is_triangle ? ir_const_f(b, 32, 3.0) : one;
    struct ir_value *corner = ir_load_sysval(b, 32, 1, IR_SYSVAL_vertex_index);
    struct ir_value *position[4] = {
        ir_select(b, ir_ieq(b, corner, ir_const(b, 32, 2)), other, first),
        ir_select(b, ir_ieq(b, corner, ir_const(b, 32, 1)), other, first),
        vk_meta_push(b, 0),
        one,
    };
    ir_store_output(b, ir_vec(b, 4, position), zero, IR_LOCATION_position, 0, 0);
    ir_store_output(b, ir_load_sysval(b, 32, 1, IR_SYSVAL_instance_index), zero, IR_LOCATION_layer, 0, 0);
    shader->sysvals_read |= 1ull << IR_SYSVAL_vertex_index | 1ull << IR_SYSVAL_instance_index;
    shader->vs.writes_layer = true;
}

/* Of a pipeline that no application sees, only what a bind looks at is there. The shaders are the map's. */
static VkResult create_pipeline(struct vk_device *device, uint64_t key, vk_meta_build_fn build_fn,
                                struct vk_graphics_pipeline **pipeline_out)
{
    static const struct vk_meta_shader_info no_target;
    const struct vk_meta_shader_info info = info_of(key);
    struct vk_shader *vertex, *fragment;
    VkResult result = vk_meta_get_shader(device, IR_STAGE_vertex, &no_target, VK_META_KEY(VK_META_RECTANGLE, 0),
                                         build_rectangle, &vertex);
    if (result == VK_SUCCESS)
        result = vk_meta_get_shader(device, IR_STAGE_fragment, &info, key, build_fn, &fragment);
    if (result != VK_SUCCESS)
        return result;
    struct vk_graphics_pipeline *pipeline =
        vk_zalloc(&device->alloc, NULL, sizeof(*pipeline), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!pipeline)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    pipeline->base.bind_point = VK_PIPELINE_BIND_POINT_GRAPHICS;
    pipeline->base.shaders[vk_stage_index(VK_SHADER_STAGE_VERTEX_BIT)] = vertex;
    pipeline->base.shaders[vk_stage_index(VK_SHADER_STAGE_FRAGMENT_BIT)] = fragment;
    if (device->codegen->bake)
        result = device->codegen->bake(device, &pipeline->base, NULL, NULL);
    if (result != VK_SUCCESS) {
        vk_free(&device->alloc, NULL, pipeline);
        return result;
    }
    if (!map64_set(&device->meta->pipelines, key, (uintptr_t)pipeline)) {
        vk_meta_destroy_pipeline(device, pipeline);
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    }
    *pipeline_out = pipeline;
    return VK_SUCCESS;
}

struct vk_graphics_pipeline *vk_meta_pipeline(struct vk_command_buffer *cmd, uint64_t key, vk_meta_build_fn build_fn)
{
    struct vk_device *device = cmd->base.device;
    struct vk_meta *meta = device->meta;
    struct vk_graphics_pipeline *pipeline = NULL;
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&meta->lock);
    const uint64_t *found = map64_get(&meta->pipelines, key);
    if (found)
        pipeline = (struct vk_graphics_pipeline *)(uintptr_t)*found;
    else
        result = create_pipeline(device, key, build_fn, &pipeline);
    pthread_mutex_unlock(&meta->lock);
    vk_command_buffer_set_error(cmd, result);
    return pipeline;
}

/* ---- around draws ---- */

/* Everything at its default; a rectangle, of any depth. */
static void default_state(struct vk_dynamic_graphics_state *dyn, uint32_t topology, uint32_t samples)
{
    struct vk_graphics_state state;
    vk_graphics_state_init(&state);
    vk_graphics_state_complete(&state);
    *dyn = state.dyn;
    dyn->ia.topology = (uint8_t)topology;
    dyn->rs.depth_clip = VK_DEPTH_CLIP_OFF;
    dyn->ms.samples = (uint8_t)MAX2(samples, 1);
    dyn->vp.viewport_count = dyn->vp.scissor_count = 1;
    memset(dyn->cb.write_masks, 0xf, sizeof(dyn->cb.write_masks));
    dyn->dirty = dyn->set;
}

void vk_meta_draw_begin(struct vk_command_buffer *cmd, struct vk_meta_saved *saved)
{
    const struct vk_meta_ops *ops = vk_meta_ops_of(cmd);
    ops->draw_begin(cmd, saved);
    default_state(&cmd->rec->dynamic_state, ops->rectangle_topology, cmd->rec->rendering.samples);
}

void vk_meta_draw_end(struct vk_command_buffer *cmd, const struct vk_meta_saved *saved)
{
    vk_meta_ops_of(cmd)->draw_end(cmd, saved);
}

/* ---- targets and sources ---- */

void vk_meta_set_target(struct vk_command_buffer *cmd, struct vk_meta_saved *saved, const struct vk_meta_view *view,
                        VkImageLayout layout)
{
    vk_meta_ops_of(cmd)->set_target(cmd, saved, view, layout);
    cmd->rec->dynamic_state.ms.samples = (uint8_t)view->image->samples;
    cmd->rec->dynamic_state.dirty |= VK_DYN(SAMPLES);
}

void vk_meta_bind(struct vk_command_buffer *cmd, const struct vk_meta_binding *bindings, uint32_t count)
{
    vk_meta_ops_of(cmd)->bind(cmd, bindings, count);
}

void vk_meta_depth_state(struct vk_command_buffer *cmd, VkImageAspectFlags aspects, uint32_t stencil)
{
    struct vk_depth_stencil_state *ds = &cmd->rec->dynamic_state.ds;
    ds->depth_test_enable = ds->depth_write_enable = aspects & VK_IMAGE_ASPECT_DEPTH_BIT;
    ds->depth_compare_op = VK_COMPARE_OP_ALWAYS;
    ds->stencil_test_enable = aspects & VK_IMAGE_ASPECT_STENCIL_BIT;
    for (int face = VK_STENCIL_FRONT; face <= VK_STENCIL_BACK; face++) {
        ds->stencil_ops[face] = (struct vk_stencil_ops){VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_REPLACE,
                                                        VK_STENCIL_OP_REPLACE, VK_COMPARE_OP_ALWAYS};
        ds->stencil_compare_mask[face] = ds->stencil_write_mask[face] = 0xff;
        ds->stencil_reference[face] = (uint8_t)stencil;
    }
    cmd->rec->dynamic_state.dirty |= VK_DYN_GROUP_DEPTH_STENCIL;
}

static void set_rectangle(struct vk_command_buffer *cmd, const VkRect2D *rect)
{
    struct vk_dynamic_graphics_state *dyn = &cmd->rec->dynamic_state;
    dyn->vp.viewports[0] = (VkViewport){(float)rect->offset.x,
                                        (float)rect->offset.y,
                                        (float)rect->extent.width,
                                        (float)rect->extent.height,
                                        0.0f,
                                        1.0f};
    dyn->vp.scissors[0] = *rect;
    dyn->dirty |= VK_DYN(VIEWPORTS) | VK_DYN(SCISSORS);
}

void vk_meta_draw(struct vk_command_buffer *cmd, struct vk_graphics_pipeline *pipeline,
                  const struct vk_meta_rectangle *rectangle, const void *push, uint32_t push_size_B)
{
    const VkRect2D *rect = &rectangle->rect;
    if (!pipeline || !rect->extent.width || !rect->extent.height || !rectangle->layers)
        return;
    set_rectangle(cmd, rect);
    vk_meta_ops_of(cmd)->draw(cmd, pipeline, rectangle, push, push_size_B);
}
