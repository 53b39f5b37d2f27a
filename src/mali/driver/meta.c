/* The driver's side of the meta operations (vulkan/meta): descriptors, dispatches and draws of its own. */
#include "mali/driver/meta.h"

#include <string.h>

#include "mali/driver/cmd.h"
#include "mali/driver/entrypoints.h"
#include "mali/driver/image.h"
#include "mali/driver/sampler.h"
#include "util/bits.h"

/* ---- shaders ---- */

/* As many as programs have that load attachments (preload.c). */
static const struct ir_binding_layout meta_bindings[MALI_PARTS] = {
    {.index = 0, .stride = 1}, {.index = 1, .stride = 1}, {.index = 2, .stride = 1}, {.index = 3, .stride = 1},
    {.index = 4, .stride = 1}, {.index = 5, .stride = 1}, {.index = 6, .stride = 1}, {.index = 7, .stride = 1},
    {.index = 8, .stride = 1}, {.index = 9, .stride = 1}};

static const struct ir_set_layout meta_set = {meta_bindings, MALI_PARTS};

/* The kind of a target's numbers: enum ir_base. */
static uint32_t target_traits(VkFormat format)
{
    const struct format_info *info = format_info((enum format)format);
    return info->numeric == FORMAT_NUMERIC_UINT   ? IR_BASE_uint
           : info->numeric == FORMAT_NUMERIC_SINT ? IR_BASE_int
                                                  : IR_BASE_float;
}

/* Fetches give the numbers that the texture's format has: those of integers and stencil are no floats. */
static void fetch_as_it_is(struct ir_shader *ir)
{
    ir_foreach_block (ir, block) {
        ir_foreach_instr (block, instr) {
            if (instr->op == IR_OP_tex && ir_imm(instr, IR_IMM_TEX_KIND) == IR_TEX_KIND_fetch)
                ir_set_imm(instr, IR_IMM_TEX_FLAGS, ir_imm(instr, IR_IMM_TEX_FLAGS) | IR_TEX_FLAG_INTEGER);
        }
    }
}

static VkResult compile_shader(struct vk_device *device, struct ir_shader *ir, const struct vk_meta_shader_info *info,
                               struct vk_shader **shader_out)
{
    const struct mali_compile_options options = {.sets = &meta_set, .num_sets = 1};
    struct mali_shader *shader;
    struct ir_io_var output = {.location = (uint16_t)(IR_LOCATION_VAR0 + info->target),
                               .num_comps = 4,
                               .bits = 32,
                               .num_locations = 1,
                               .base = (enum ir_base)info->target_traits};
    ir->push_size_B = VK_META_PUSH_B;
    fetch_as_it_is(ir);
    if (info->writes_target) {
        ir->outputs = &output;
        ir->num_outputs = 1;
    }
    VkResult result = mali_shader_compile_internal(mali_device_of(device), ir, &options, &shader);
    if (result == VK_SUCCESS)
        *shader_out = &shader->vk;
    return result;
}

/* ---- descriptors ---- */

static void write_binding(struct mali_cmd_buffer *cmd, const struct vk_meta_binding *binding, uint32_t *out)
{
    memset(out, 0, MALI_DESCRIPTOR_B);
    if (binding->kind == VK_META_SAMPLER) {
        mali_sampler_words(binding->sampler, out);
        return;
    }
    const VkImageViewCreateInfo info = vk_meta_view_info(&binding->view);
    struct mali_image_view view = {0};
    uint64_t va;
    vk_image_view_init(&cmd->device->vk, &view.vk, &info);
    void *planes = mali_cmd_upload(cmd, mali_image_view_planes_B(&view), MALI_DESCRIPTOR_B, &va);
    if (!planes)
        return;
    mali_image_view_fill(&view, planes, va);
    memcpy(out, binding->kind == VK_META_STORAGE_IMAGE ? view.storage : view.sampled[0], MALI_DESCRIPTOR_B);
}

static uint64_t upload_bindings(struct mali_cmd_buffer *cmd, const struct vk_meta_binding *bindings, uint32_t count)
{
    uint32_t words[VK_META_BINDINGS][MALI_DESCRIPTOR_DW];
    uint64_t va = 0;
    if (!count)
        return 0;
    for (uint32_t i = 0; i < count; i++)
        write_binding(cmd, &bindings[i], words[i]);
    void *set = mali_cmd_upload(cmd, count * MALI_DESCRIPTOR_B, MALI_DESCRIPTOR_B, &va);
    if (set)
        memcpy(set, words, count * MALI_DESCRIPTOR_B);
    return va;
}

/* ---- what the driver's own set takes the place of ---- */

struct saved_set {
    struct vk_bindings_saved bindings;
    bool is_paused;
    uint8_t push[MALI_MAX_PUSH_B];
};

static void save_set(struct mali_cmd_buffer *cmd, enum vk_bind_point point, struct saved_set *saved)
{
    vk_bindings_save(&cmd->vk.rec->bindings[point], &saved->bindings);
    memcpy(saved->push, cmd->push_constants, sizeof(saved->push));
    saved->is_paused = cmd->predicate.is_paused; /* it is for the application's own work */
    cmd->predicate.is_paused = true;
}

static void set_set(struct mali_cmd_buffer *cmd, enum vk_bind_point point, uint64_t va)
{
    vk_bindings_set_own(&cmd->vk.rec->bindings[point], va);
}

static void restore_set(struct mali_cmd_buffer *cmd, enum vk_bind_point point, const struct saved_set *saved)
{
    vk_bindings_restore(&cmd->vk.rec->bindings[point], &saved->bindings);
    memcpy(cmd->push_constants, saved->push, sizeof(saved->push));
    cmd->push_dirty |= VK_SHADER_STAGE_ALL;
    cmd->predicate.is_paused = saved->is_paused;
}

/* ---- dispatches ---- */

static void dispatch(struct vk_command_buffer *base, const struct vk_shader *shader,
                     const struct vk_meta_binding *bindings, uint32_t count, const void *push, uint32_t push_size_B,
                     const uint32_t groups[3])
{
    struct mali_cmd_buffer *cmd = mali_cmd_of(base);
    const struct mali_shader *old = cmd->compute_shader;
    struct saved_set saved;
    save_set(cmd, VK_BIND_COMPUTE, &saved);
    set_set(cmd, VK_BIND_COMPUTE, upload_bindings(cmd, bindings, count));
    memcpy(cmd->push_constants, push, push_size_B);
    mali_bind_compute_shader(cmd, (const struct mali_shader *)shader);
    mali_dispatch(cmd, (const uint32_t[3]){0, 0, 0}, groups);
    restore_set(cmd, VK_BIND_COMPUTE, &saved);
    cmd->compute_shader = old;
    cmd->compute_dirty = true;
}

/* ---- draws ---- */

struct saved {
    struct vk_dynamic_graphics_state dynamic;
    struct vk_rendering rendering;
    struct vk_graphics_pipeline *pipeline;
    const struct mali_graphics_pipeline *baked;
    struct mali_image_view target;
    struct saved_set set;
    struct mali_pass pass;
    struct vk_color_slots slots;
    uint64_t occlusion_va;
    bool counts_for_caller;
    bool has_pass; /* of the driver's own */
};
_Static_assert(sizeof(struct saved) <= sizeof(struct vk_meta_saved), "what is kept around draws");

static bool can_draw(const struct vk_command_buffer *base, VkFormat format)
{
    return mali_vkformat(format)->color.cell_B;
}

static uint32_t target_slot(const struct vk_command_buffer *base, uint32_t attachment)
{
    return vk_color_slot(&((const struct mali_cmd_buffer *)base)->graphics.slots, attachment);
}

static void draw_begin(struct vk_command_buffer *base, struct vk_meta_saved *room)
{
    struct mali_cmd_buffer *cmd = mali_cmd_of(base);
    struct saved *saved = (struct saved *)room->bytes;
    saved->dynamic = cmd->vk.rec->dynamic_state;
    saved->rendering = cmd->vk.rec->rendering;
    saved->pipeline = cmd->graphics.pipeline;
    saved->baked = cmd->graphics.baked;
    saved->occlusion_va = cmd->graphics.occlusion_va;
    saved->counts_for_caller = cmd->graphics.counts_for_caller;
    saved->has_pass = false;
    saved->slots = cmd->graphics.slots;
    cmd->graphics.slots.written = UINT8_MAX;
    save_set(cmd, VK_BIND_GRAPHICS, &saved->set);
    cmd->graphics.counts_for_caller = false;
    cmd->graphics.occlusion_va = 0;       /* what the driver does for a command is not counted */
    cmd->vk.rec->rendering.view_mask = 0; /* layers are counted by instances */
    cmd->graphics.dirty |= MALI_DIRTY_TARGETS;
}

static void end_pass(struct mali_cmd_buffer *cmd, struct saved *saved)
{
    if (!saved->has_pass)
        return;
    mali_pass_end(cmd);
    cmd->graphics.pass = saved->pass;
    saved->has_pass = false;
}

static void draw_end(struct vk_command_buffer *base, const struct vk_meta_saved *room)
{
    struct mali_cmd_buffer *cmd = mali_cmd_of(base);
    struct saved *saved = (struct saved *)(uintptr_t)room->bytes;
    end_pass(cmd, saved);
    cmd->vk.rec->dynamic_state = saved->dynamic;
    cmd->vk.rec->rendering = saved->rendering;
    cmd->graphics.pipeline = saved->pipeline;
    cmd->graphics.baked = saved->baked;
    cmd->graphics.occlusion_va = saved->occlusion_va;
    cmd->graphics.counts_for_caller = saved->counts_for_caller;
    cmd->graphics.slots = saved->slots;
    restore_set(cmd, VK_BIND_GRAPHICS, &saved->set);
    mali_graphics_forget(cmd);
}

/* Regions of one command may be parts of the same tile, which each of them loads and stores. */
static void wait_for_tiles(struct mali_cmd_buffer *cmd)
{
    if (!cmd->streams[MALI_FRAGMENT].busy)
        return;
    mali_cmd_wait_work(cmd, MALI_FRAGMENT);
    mali_cmd_flush(cmd, MALI_FRAGMENT, MALI_FLUSH_READ_ONLY);
}

static void set_target(struct vk_command_buffer *base, struct vk_meta_saved *room, const struct vk_meta_view *view,
                       VkImageLayout layout)
{
    struct mali_cmd_buffer *cmd = mali_cmd_of(base);
    struct saved *saved = (struct saved *)room->bytes;
    struct mali_image_view *target = &saved->target;
    struct vk_meta_target rendering;
    const VkImageViewCreateInfo info = vk_meta_view_info(view);
    uint64_t va;
    end_pass(cmd, saved);
    wait_for_tiles(cmd);
    memset(target, 0, sizeof(*target));
    vk_image_view_init(&cmd->device->vk, &target->vk, &info);
    void *planes = mali_cmd_upload(cmd, mali_image_view_planes_B(target), MALI_DESCRIPTOR_B, &va);
    if (!planes)
        return;
    mali_image_view_fill(target, planes, va);
    const uint32_t layers = view->image->type == VK_IMAGE_TYPE_3D
                                ? vk_image_level_extent(view->image, view->level).depth
                                : target->vk.layer_count;
    saved->pass = cmd->graphics.pass;
    saved->has_pass = true;
    vk_meta_target_init(&rendering, view, &target->vk, layers, layout);
    mali_pass_begin(cmd, &rendering.info);
}

static void bind_resources(struct vk_command_buffer *base, const struct vk_meta_binding *bindings, uint32_t count)
{
    struct mali_cmd_buffer *cmd = mali_cmd_of(base);
    set_set(cmd, VK_BIND_GRAPHICS, upload_bindings(cmd, bindings, count));
}

static void draw(struct vk_command_buffer *base, struct vk_graphics_pipeline *pipeline,
                 const struct vk_meta_rectangle *rectangle, const void *push, uint32_t push_size_B)
{
    struct mali_cmd_buffer *cmd = mali_cmd_of(base);
    mali_graphics_bind(cmd, pipeline);
    memcpy(cmd->push_constants, push, push_size_B);
    cmd->push_dirty |= VK_SHADER_STAGE_ALL_GRAPHICS;
    cmd->predicate.is_paused = !rectangle->predicated;
    cmd->graphics.layers.first = rectangle->first_layer;
    cmd->graphics.layers.count = rectangle->layers;
    mali_CmdDraw(mali_cmd_buffer_to_handle(cmd), 3, rectangle->layers, 0, rectangle->first_layer);
    cmd->graphics.layers.count = 0;
    cmd->predicate.is_paused = true;
}

static void barrier(struct vk_command_buffer *base, const struct vk_image *image, VkPipelineStageFlags2 src_stages,
                    VkAccessFlags2 src_access, VkPipelineStageFlags2 dst_stages, VkAccessFlags2 dst_access)
{
    const VkMemoryBarrier2 memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                     .srcStageMask = src_stages,
                                     .srcAccessMask = src_access,
                                     .dstStageMask = dst_stages,
                                     .dstAccessMask = dst_access};
    mali_dependency(mali_cmd_of(base), &(const VkDependencyInfo){.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
                                                                 .memoryBarrierCount = 1,
                                                                 .pMemoryBarriers = &memory});
}

const struct vk_meta_ops mali_meta_ops = {
    .compile = compile_shader,
    .rectangle_topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
    .target_traits = target_traits,
    .target_slot = target_slot,
    .can_draw = can_draw,
    .dispatch = dispatch,
    .draw_begin = draw_begin,
    .draw_end = draw_end,
    .set_target = set_target,
    .bind = bind_resources,
    .draw = draw,
    .barrier = barrier,
    .copy_memory = mali_copy_memory,
    .copy_image = mali_copy_image,
};
