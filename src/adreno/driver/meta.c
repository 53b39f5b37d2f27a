/* The driver's side of the meta operations (vulkan/meta): descriptors, dispatches and draws of its own. */
#include "adreno/driver/meta.h"

#include "adreno/driver/cmd.h"
#include "adreno/driver/entrypoints.h"
#include "adreno/hw/regs_rb.h"
#include "util/bits.h"

/* ---- shaders ---- */

static const struct ir_binding_layout meta_bindings[VK_META_BINDINGS] = {
    {.index = 0, .stride = 1}, {.index = 1, .stride = 1}, {.index = 2, .stride = 1}, {.index = 3, .stride = 1}};

static const struct ir_set_layout meta_set = {meta_bindings, VK_META_BINDINGS};

static VkResult compile_shader(struct vk_device *device, struct ir_shader *ir, const struct vk_meta_shader_info *info,
                               struct vk_shader **shader_out)
{
    const struct adreno_compile_options options = {
        .sets = &meta_set, .num_sets = 1, .chip = adreno_device_of(device)->chip};
    struct adreno_shader *shader;
    ir->push_size_B = VK_META_PUSH_B;
    VkResult result = adreno_shader_compile_internal(adreno_device_of(device), ir, &options, &shader);
    if (result == VK_SUCCESS)
        *shader_out = &shader->vk;
    return result;
}

/* ---- descriptors ---- */

static void write_binding(struct adreno_cmd_buffer *cmd, const struct vk_meta_binding *binding, uint32_t *out)
{
    memset(out, 0, ADRENO_DESCRIPTOR_B);
    if (binding->kind == VK_META_SAMPLER) {
        adreno_sampler_words(binding->sampler, 0, out);
        return;
    }
    const VkImageViewCreateInfo info = vk_meta_view_info(&binding->view);
    struct adreno_image_view view = {0};
    vk_image_view_init(&cmd->device->vk, &view.vk, &info);
    adreno_image_view_fill(cmd->device->chip, &view);
    memcpy(out, binding->kind == VK_META_STORAGE_IMAGE ? view.storage : view.sampled[0], ADRENO_DESCRIPTOR_B);
}

static uint64_t upload_bindings(struct adreno_cmd_buffer *cmd, const struct vk_meta_binding *bindings, uint32_t count)
{
    uint64_t va = 0;
    uint32_t *set = adreno_cmd_upload(cmd, MAX2(count, 1) * ADRENO_DESCRIPTOR_B, ADRENO_DESCRIPTOR_B, &va);
    for (uint32_t i = 0; set && i < count; i++)
        write_binding(cmd, &bindings[i], set + i * ADRENO_DESCRIPTOR_DW);
    return va;
}

/* The set that one of the driver's own replaces. */
struct saved_set {
    struct vk_bindings_saved bindings;
    uint8_t push[ADRENO_MAX_PUSH_B];
};

static void save_set(struct adreno_cmd_buffer *cmd, enum vk_bind_point point, struct saved_set *saved)
{
    vk_bindings_save(&cmd->vk.rec->bindings[point], &saved->bindings);
    memcpy(saved->push, cmd->push_constants, sizeof(saved->push));
}

static void set_set(struct adreno_cmd_buffer *cmd, enum vk_bind_point point, uint64_t va)
{
    vk_bindings_set_own(&cmd->vk.rec->bindings[point], va);
}

static void restore_set(struct adreno_cmd_buffer *cmd, enum vk_bind_point point, const struct saved_set *saved)
{
    vk_bindings_restore(&cmd->vk.rec->bindings[point], &saved->bindings);
    memcpy(cmd->push_constants, saved->push, sizeof(saved->push));
    cmd->push_dirty |= VK_SHADER_STAGE_ALL;
}

/* ---- queries ---- */

/* Nor does the application's predicate hold it back, unless the command says so. */
static void pause_predicate(struct adreno_cmd_buffer *cmd, bool is_paused)
{
    struct adreno_cs *cs = adreno_cmd_stream(cmd);
    if (!cmd->graphics.is_predicated)
        return;
    adreno_cs_reserve(cs, 2);
    ADRENO_PACKET(cs, CP_DRAW_PRED_ENABLE_LOCAL, .ENABLE = !is_paused);
}

/* Work of the driver's own for a command is not counted. */
static void pause_queries(struct adreno_cmd_buffer *cmd, bool is_paused)
{
    struct adreno_cs *cs = adreno_cmd_stream(cmd);
    pause_predicate(cmd, is_paused);
    adreno_cs_reserve(cs, 16);
    if (cmd->graphics.occlusion_queries)
        ADRENO_REG(cs, RB_SAMPLE_COUNTER_CNTL, .DISABLE = is_paused, .COPY = true);
    if (!cmd->graphics.statistics_queries)
        return;
    ADRENO_PACKET(cs, CP_WAIT_FOR_IDLE);
    /* Queries of generated primitives stand still while tiles are drawn. */
    if (cmd->graphics.generated_queries && cmd->graphics.pass.is_active)
        *adreno_if_once(cs) = 2;
    adreno_event(cs, is_paused ? ADRENO_EVENT_STOP_PRIMITIVE_CTRS : ADRENO_EVENT_START_PRIMITIVE_CTRS);
    adreno_event(cs, is_paused ? ADRENO_EVENT_STOP_FRAGMENT_CTRS : ADRENO_EVENT_START_FRAGMENT_CTRS);
    adreno_event(cs, is_paused ? ADRENO_EVENT_STOP_COMPUTE_CTRS : ADRENO_EVENT_START_COMPUTE_CTRS);
}

/* ---- dispatches ---- */

static void dispatch(struct vk_command_buffer *base, const struct vk_shader *shader,
                     const struct vk_meta_binding *bindings, uint32_t count, const void *push, uint32_t push_size_B,
                     const uint32_t groups[3])
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_of(base);
    const struct adreno_shader *old = cmd->compute_shader;
    struct saved_set saved;
    save_set(cmd, VK_BIND_COMPUTE, &saved);
    set_set(cmd, VK_BIND_COMPUTE, upload_bindings(cmd, bindings, count));
    memcpy(cmd->push_constants, push, push_size_B);
    cmd->push_dirty |= VK_SHADER_STAGE_COMPUTE_BIT;
    adreno_bind_compute_shader(cmd, (const struct adreno_shader *)shader);
    pause_queries(cmd, true);
    adreno_dispatch(cmd, (const uint32_t[3]){0, 0, 0}, groups);
    pause_queries(cmd, false);
    restore_set(cmd, VK_BIND_COMPUTE, &saved);
    cmd->compute_shader = old;
    cmd->compute_dirty = true;
}

/* ---- draws ---- */

struct saved {
    struct vk_dynamic_graphics_state dynamic;
    struct vk_rendering rendering;
    struct vk_graphics_pipeline *pipeline;
    const struct adreno_graphics_pipeline *baked;
    struct adreno_image_view target;
    struct saved_set set;
    struct vk_color_slots slots;
    uint32_t num_draws;
};
_Static_assert(sizeof(struct saved) <= sizeof(struct vk_meta_saved), "what is kept around draws");

static bool can_draw(const struct vk_command_buffer *base, VkFormat format)
{
    return adreno_vkformat(format)->color;
}

static uint32_t target_slot(const struct vk_command_buffer *base, uint32_t attachment)
{
    return vk_color_slot(&((const struct adreno_cmd_buffer *)base)->graphics.slots, attachment);
}

static void draw_begin(struct vk_command_buffer *base, struct vk_meta_saved *room)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_of(base);
    struct saved *saved = (struct saved *)room->bytes;
    saved->dynamic = cmd->vk.rec->dynamic_state;
    saved->rendering = cmd->vk.rec->rendering;
    saved->pipeline = cmd->graphics.pipeline;
    saved->baked = cmd->graphics.baked;
    saved->num_draws = cmd->graphics.pass.num_draws;
    saved->slots = cmd->graphics.slots;
    cmd->graphics.slots.written = UINT8_MAX;
    save_set(cmd, VK_BIND_GRAPHICS, &saved->set);
    pause_queries(cmd, true);
    cmd->vk.rec->rendering.view_mask = 0; /* layers are counted by instances */
    cmd->graphics.dirty |= ADRENO_DIRTY_TARGETS;
}

static void draw_end(struct vk_command_buffer *base, const struct vk_meta_saved *room)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_of(base);
    const struct saved *saved = (const struct saved *)room->bytes;
    pause_queries(cmd, false);
    cmd->vk.rec->dynamic_state = saved->dynamic;
    vk_dynamic_graphics_state_dirty_all(&cmd->vk.rec->dynamic_state);
    cmd->vk.rec->rendering = saved->rendering;
    cmd->graphics.pipeline = saved->pipeline;
    cmd->graphics.baked = saved->baked;
    cmd->graphics.slots = saved->slots;
    if (saved->baked)
        cmd->graphics.groups[ADRENO_GROUP_PROGRAM] = saved->baked->program;
    restore_set(cmd, VK_BIND_GRAPHICS, &saved->set);
    cmd->graphics.dirty = ADRENO_DIRTY_ALL;
    adreno_graphics_forget(cmd);
}

static void set_target(struct vk_command_buffer *base, struct vk_meta_saved *room, const struct vk_meta_view *view,
                       VkImageLayout layout)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_of(base);
    struct adreno_image_view *target = &((struct saved *)room->bytes)->target;
    const VkImageViewCreateInfo info = vk_meta_view_info(view);
    struct vk_meta_target rendering;
    memset(target, 0, sizeof(*target));
    vk_image_view_init(&cmd->device->vk, &target->vk, &info);
    adreno_image_view_fill(cmd->device->chip, target);
    adreno_emit_due(cmd, &cmd->cs);
    adreno_lrz_forget(cmd, adreno_image_of(target->vk.image), view->aspects);
    vk_meta_target_init(&rendering, view, &target->vk, target->vk.layer_count, layout);
    adreno_set_targets(cmd, &rendering.info);
    adreno_emit_memory_mode(cmd, &cmd->cs, rendering.info.renderArea.extent.width,
                            rendering.info.renderArea.extent.height);
    adreno_emit_targets(cmd, &cmd->cs);
}

static void bind_resources(struct vk_command_buffer *base, const struct vk_meta_binding *bindings, uint32_t count)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_of(base);
    set_set(cmd, VK_BIND_GRAPHICS, upload_bindings(cmd, bindings, count));
}

static void draw(struct vk_command_buffer *base, struct vk_graphics_pipeline *pipeline,
                 const struct vk_meta_rectangle *rectangle, const void *push, uint32_t push_size_B)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_of(base);
    adreno_graphics_bind(cmd, pipeline);
    memcpy(cmd->push_constants, push, push_size_B);
    cmd->push_dirty |= VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT;
    if (rectangle->predicated)
        pause_predicate(cmd, false);
    adreno_CmdDraw(adreno_cmd_buffer_to_handle(cmd), 3, rectangle->layers, 0, rectangle->first_layer);
    if (rectangle->predicated)
        pause_predicate(cmd, true);
}

static void barrier(struct vk_command_buffer *base, const struct vk_image *image, VkPipelineStageFlags2 src_stages,
                    VkAccessFlags2 src_access, VkPipelineStageFlags2 dst_stages, VkAccessFlags2 dst_access)
{
    adreno_depend(adreno_cmd_of(base), adreno_access_of(src_stages, src_access),
                  adreno_access_of(dst_stages, dst_access), adreno_order_of_stages(src_stages, dst_stages));
}

/* There are no storage images of several samples. */
static bool copy_image(struct vk_command_buffer *base, const struct vk_meta_image_copy *copy)
{
    if (copy->src.shape != VK_META_MS)
        return false;
    vk_meta_copy_samples(base, copy);
    return true;
}

const struct vk_meta_ops adreno_meta_ops = {
    .compile = compile_shader,
    .rectangle_topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
    .can_draw = can_draw,
    .target_slot = target_slot,
    .dispatch = dispatch,
    .draw_begin = draw_begin,
    .draw_end = draw_end,
    .set_target = set_target,
    .bind = bind_resources,
    .draw = draw,
    .barrier = barrier,
    .copy_image = copy_image,
};
