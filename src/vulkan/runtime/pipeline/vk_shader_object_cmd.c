/* Drawing with shader objects: what is bound, the pipelines of mixes, and the layer that binds them before draws. */
#include <string.h>

#include "util/bits.h"
#include "vulkan/runtime/command/vk_command_buffer.h"
#include "vulkan/runtime/device/vk_device.h"
#include "vulkan/runtime/device/vk_layer.h"
#include "vulkan/runtime/gen/vk_common_entrypoints.h"
#include "vulkan/runtime/object/vk_struct.h"
#include "vulkan/runtime/pipeline/vk_pipeline_internal.h"
#include "vulkan/runtime/render/vk_dynamic_state.h"
#include "vulkan/runtime/render/vk_graphics_state_private.h"

/* ---- mixes ---- */

struct vk_shader_mix_entry {
    struct vk_shader_mix_entry *next;
    struct vk_shader_mix mix;
    VkPipeline pipeline;
};

static uint32_t bucket_of(const struct vk_shader_mix *mix)
{
    uint8_t hash[VK_HASH_SIZE_B];
    vk_hash_bytes(mix, sizeof(*mix), hash);
    return hash[0];
}

static struct vk_shader_mix_entry *find_mix(const struct vk_shader_mixes *mixes, const struct vk_shader_mix *mix)
{
    struct vk_shader_mix_entry *entry = mixes->buckets[bucket_of(mix)];
    while (entry && memcmp(&entry->mix, mix, sizeof(*mix)))
        entry = entry->next;
    return entry;
}

static VkResult merge_layouts(struct vk_device *device, const struct vk_shader_mix *mix,
                              struct vk_pipeline_layout **layout_out)
{
    struct vk_pipeline_layout *layouts[VK_PIPELINE_MAX_STAGES];
    for (uint32_t i = 0; i < VK_PIPELINE_MAX_STAGES; i++)
        layouts[i] = mix->stages[i] ? mix->stages[i]->layout : NULL;
    return vk_pipeline_layout_merge(device, VK_PIPELINE_MAX_STAGES, layouts, layout_out);
}

/* Nothing is static; the formats are what a draw finds, and of the topology the class is known. */
static VkResult make_pipeline(struct vk_device *device, const struct vk_shader_mix *mix, VkPipeline *pipeline_out)
{
    struct vk_kept_stage stages[VK_PIPELINE_MAX_STAGES] = {{0}};
    struct vk_pipeline_layout *layout;
    struct vk_graphics_state *state =
        vk_alloc(&device->alloc, NULL, sizeof(*state), VK_SYSTEM_ALLOCATION_SCOPE_COMMAND);
    if (!state)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = merge_layouts(device, mix, &layout);
    if (result == VK_SUCCESS) {
        vk_graphics_state_init(state);
        state->dynamic = VK_DYN_ALL;
        state->dyn.ia.topology = (uint8_t)mix->topology;
        state->rendering = mix->formats;
        vk_graphics_state_complete(state);
        for (uint32_t i = 0; i < VK_PIPELINE_MAX_STAGES; i++) {
            if (mix->stages[i])
                stages[i] = (struct vk_kept_stage){&mix->stages[i]->info, mix->stages[i]->ir};
        }
        result = vk_graphics_pipeline_of_stages(device, state, layout, stages, pipeline_out);
        vk_pipeline_layout_unref(layout);
    }
    vk_free(&device->alloc, NULL, state);
    return result;
}

static VkResult add_mix(struct vk_device *device, const struct vk_shader_mix *mix, VkPipeline *pipeline_out)
{
    struct vk_shader_mix_entry *entry =
        vk_zalloc(&device->alloc, NULL, sizeof(*entry), VK_SYSTEM_ALLOCATION_SCOPE_DEVICE);
    if (!entry)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    VkResult result = make_pipeline(device, mix, &entry->pipeline);
    if (result != VK_SUCCESS) {
        vk_free(&device->alloc, NULL, entry);
        return result;
    }
    struct vk_shader_mix_entry **bucket = &device->shader_mixes.buckets[bucket_of(mix)];
    entry->mix = *mix;
    entry->next = *bucket;
    *bucket = entry;
    *pipeline_out = entry->pipeline;
    return VK_SUCCESS;
}

/* Compiling under the lock keeps two threads from compiling the same. */
VkResult vk_shader_mix_pipeline(struct vk_device *device, const struct vk_shader_mix *mix, VkPipeline *pipeline_out)
{
    VkResult result = VK_SUCCESS;
    pthread_mutex_lock(&device->shader_mixes.lock);
    const struct vk_shader_mix_entry *entry = find_mix(&device->shader_mixes, mix);
    if (entry)
        *pipeline_out = entry->pipeline;
    else
        result = add_mix(device, mix, pipeline_out);
    pthread_mutex_unlock(&device->shader_mixes.lock);
    return result;
}

static bool has_object(const struct vk_shader_mix *mix, const struct vk_shader_object *object)
{
    return mix->stages[vk_stage_index(object->info.stage)] == object;
}

void vk_shader_mixes_forget(struct vk_device *device, const struct vk_shader_object *object)
{
    if (object->info.stage == VK_SHADER_STAGE_COMPUTE_BIT)
        return;
    pthread_mutex_lock(&device->shader_mixes.lock);
    for (uint32_t i = 0; i < ARRAY_SIZE(device->shader_mixes.buckets); i++) {
        for (struct vk_shader_mix_entry **place = &device->shader_mixes.buckets[i]; *place;) {
            struct vk_shader_mix_entry *entry = *place;
            if (!has_object(&entry->mix, object)) {
                place = &entry->next;
                continue;
            }
            *place = entry->next;
            vk_common_DestroyPipeline(vk_device_to_handle(device), entry->pipeline, NULL);
            vk_free(&device->alloc, NULL, entry);
        }
    }
    pthread_mutex_unlock(&device->shader_mixes.lock);
}

/* ---- what is bound ---- */

void vk_bound_objects_begin(struct vk_bound_objects *objects, VkCommandBufferLevel level,
                            const VkCommandBufferBeginInfo *info)
{
    objects->is_used = objects->is_bound = false;
    objects->before = NULL;
    memset(objects->stages, 0, sizeof(objects->stages));
    vk_bound_objects_new_rendering(objects);
    if (level == VK_COMMAND_BUFFER_LEVEL_SECONDARY && info->pInheritanceInfo && info->pInheritanceInfo->pNext)
        vk_rendering_formats_read_local(&objects->local, info->pInheritanceInfo->pNext);
}

/* Of `rows` those that nothing has set, as they are in `from`. */
static void take_missing(struct vk_dynamic_graphics_state *dyn, const struct vk_dynamic_graphics_state *from,
                         uint64_t rows)
{
    const uint64_t missing = rows & ~dyn->set;
    if (__builtin_expect(!missing, 1))
        return;
    vk_dynamic_rows_copy(dyn, from, missing);
    dyn->set |= missing;
    dyn->dirty |= missing;
}

static const struct vk_device_dispatch *next_of(VkCommandBuffer handle)
{
    return vk_device_next(((struct vk_object_base *)handle)->device, &vk_shader_object_layer);
}

/* Strides that a pipeline had fixed are the commands' again. */
static void free_state(struct vk_command_buffer *cmd)
{
    static const struct vk_dynamic_graphics_state nothing_fixed;
    vk_dynamic_graphics_state_bind(&cmd->rec->dynamic_state, &nothing_fixed, 0);
    if (cmd->rec->objects.before)
        take_missing(&cmd->rec->dynamic_state, cmd->rec->objects.before, cmd->rec->objects.before->set);
    cmd->rec->objects.before = NULL;
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdBindShadersEXT(VkCommandBuffer handle, uint32_t count,
                                                       const VkShaderStageFlagBits *stages, const VkShaderEXT *shaders)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    for (uint32_t i = 0; i < count; i++) {
        const struct vk_shader_object *object = shaders ? vk_shader_object_from_handle(shaders[i]) : NULL;
        if (stages[i] == VK_SHADER_STAGE_COMPUTE_BIT) {
            if (object)
                next_of(handle)->CmdBindPipeline(handle, VK_PIPELINE_BIND_POINT_COMPUTE, object->compute);
            continue;
        }
        if (vk_stage_index(stages[i]) >= VK_PIPELINE_MAX_STAGES)
            continue;
        cmd->rec->objects.stages[vk_stage_index(stages[i])] = object;
        cmd->rec->objects.is_used = true;
    }
    if (cmd->rec->objects.is_used)
        free_state(cmd);
}

/* Both say nothing to pipelines, which say the same, and must. */
VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetRenderingAttachmentLocationsKHR(
    VkCommandBuffer handle, const VkRenderingAttachmentLocationInfoKHR *info)
{
    vk_rendering_formats_read_locations(&vk_command_buffer_from_handle(handle)->rec->objects.local, info);
}

VKAPI_ATTR void VKAPI_CALL vk_common_CmdSetRenderingInputAttachmentIndicesKHR(
    VkCommandBuffer handle, const VkRenderingInputAttachmentIndexInfoKHR *info)
{
    struct vk_rendering_formats *local = &vk_command_buffer_from_handle(handle)->rec->objects.local;
    local->feedback_loop = 0;
    vk_rendering_formats_read_inputs(local, info);
}

/* ---- before a draw ---- */

static uint32_t list_of_class(uint32_t topology)
{
    switch (topology) {
    case VK_PRIMITIVE_TOPOLOGY_POINT_LIST:
    case VK_PRIMITIVE_TOPOLOGY_PATCH_LIST:
        return topology;
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP:
    case VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY:
    case VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY:
        return VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    default:
        return VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    }
}

static void mix_of(const struct vk_command_buffer *cmd, struct vk_shader_mix *mix)
{
    const struct vk_rendering *rendering = &cmd->rec->rendering;
    memset(mix, 0, sizeof(*mix));
    memcpy(mix->stages, cmd->rec->objects.stages, sizeof(mix->stages));
    mix->topology = cmd->rec->objects.stages[vk_stage_index(VK_SHADER_STAGE_MESH_BIT_EXT)]
                        ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
                        : list_of_class(cmd->rec->dynamic_state.ia.topology);
    mix->formats.view_mask = rendering->view_mask;
    mix->formats.color_count = rendering->num_colors;
    for (uint32_t i = 0; i < rendering->num_colors; i++)
        mix->formats.color_formats[i] = rendering->colors[i].format;
    mix->formats.depth_format = rendering->depth.format;
    mix->formats.stencil_format = rendering->stencil.format;
    mix->formats.feedback_loop = cmd->rec->objects.local.feedback_loop;
    mix->formats.has_locations = cmd->rec->objects.local.has_locations;
    if (mix->formats.has_locations)
        memcpy(mix->formats.locations, cmd->rec->objects.local.locations, sizeof(mix->formats.locations));
}

/* False: there is nothing to draw with. */
static bool __attribute__((noinline)) bind_mix(VkCommandBuffer handle)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    struct vk_bound_objects *objects = &cmd->rec->objects;
    struct vk_shader_mix mix;
    /* State of extensions and features that are not enabled has no commands: it is at its default. */
    take_missing(&cmd->rec->dynamic_state, &vk_dynamic_graphics_state_default, VK_DYN_ALL);
    mix_of(cmd, &mix);
    if (objects->is_bound && !memcmp(&mix, &objects->mix, sizeof(mix)))
        return true;
    VkPipeline pipeline;
    VkResult result = vk_shader_mix_pipeline(cmd->base.device, &mix, &pipeline);
    if (result != VK_SUCCESS) {
        vk_command_buffer_set_error(cmd, result);
        return false;
    }
    next_of(handle)->CmdBindPipeline(handle, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    objects->mix = mix;
    objects->is_bound = true;
    return true;
}

static bool is_ready(VkCommandBuffer handle)
{
    return !vk_command_buffer_from_handle(handle)->rec->objects.is_used || bind_mix(handle);
}

/* ---- the layer ---- */

static VKAPI_ATTR void VKAPI_CALL bind_pipeline(VkCommandBuffer handle, VkPipelineBindPoint point, VkPipeline pipeline)
{
    struct vk_command_buffer *cmd = vk_command_buffer_from_handle(handle);
    if (point == VK_PIPELINE_BIND_POINT_GRAPHICS) {
        cmd->rec->objects.is_used = cmd->rec->objects.is_bound = false;
        cmd->rec->objects.before = vk_graphics_pipeline(vk_pipeline_from_handle(pipeline))->dynamic;
    }
    next_of(handle)->CmdBindPipeline(handle, point, pipeline);
}

static VKAPI_ATTR void VKAPI_CALL begin_rendering(VkCommandBuffer handle, const VkRenderingInfo *info)
{
    vk_bound_objects_new_rendering(&vk_command_buffer_from_handle(handle)->rec->objects);
    next_of(handle)->CmdBeginRendering(handle, info);
}

/* The primary's bindings after it are undefined, and bound anew. */
static VKAPI_ATTR void VKAPI_CALL execute_secondaries(VkCommandBuffer handle, uint32_t count,
                                                      const VkCommandBuffer *secondaries)
{
    vk_command_buffer_from_handle(handle)->rec->objects.is_bound = false;
    next_of(handle)->CmdExecuteCommands(handle, count, secondaries);
}

static VKAPI_ATTR void VKAPI_CALL draw(VkCommandBuffer handle, uint32_t vertices, uint32_t instances, uint32_t first,
                                       uint32_t first_instance)
{
    if (is_ready(handle))
        next_of(handle)->CmdDraw(handle, vertices, instances, first, first_instance);
}

static VKAPI_ATTR void VKAPI_CALL draw_indexed(VkCommandBuffer handle, uint32_t indices, uint32_t instances,
                                               uint32_t first, int32_t offset, uint32_t first_instance)
{
    if (is_ready(handle))
        next_of(handle)->CmdDrawIndexed(handle, indices, instances, first, offset, first_instance);
}

static VKAPI_ATTR void VKAPI_CALL draw_indirect(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset_B,
                                                uint32_t count, uint32_t stride_B)
{
    if (is_ready(handle))
        next_of(handle)->CmdDrawIndirect(handle, buffer, offset_B, count, stride_B);
}

static VKAPI_ATTR void VKAPI_CALL draw_indexed_indirect(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset_B,
                                                        uint32_t count, uint32_t stride_B)
{
    if (is_ready(handle))
        next_of(handle)->CmdDrawIndexedIndirect(handle, buffer, offset_B, count, stride_B);
}

static VKAPI_ATTR void VKAPI_CALL draw_indirect_count(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset_B,
                                                      VkBuffer counts, VkDeviceSize counts_at_B, uint32_t most,
                                                      uint32_t stride_B)
{
    if (is_ready(handle))
        next_of(handle)->CmdDrawIndirectCount(handle, buffer, offset_B, counts, counts_at_B, most, stride_B);
}

static VKAPI_ATTR void VKAPI_CALL draw_indexed_indirect_count(VkCommandBuffer handle, VkBuffer buffer,
                                                              VkDeviceSize offset_B, VkBuffer counts,
                                                              VkDeviceSize counts_at_B, uint32_t most,
                                                              uint32_t stride_B)
{
    if (is_ready(handle))
        next_of(handle)->CmdDrawIndexedIndirectCount(handle, buffer, offset_B, counts, counts_at_B, most, stride_B);
}

static VKAPI_ATTR void VKAPI_CALL draw_multi(VkCommandBuffer handle, uint32_t count, const VkMultiDrawInfoEXT *infos,
                                             uint32_t instances, uint32_t first_instance, uint32_t stride_B)
{
    if (is_ready(handle))
        next_of(handle)->CmdDrawMultiEXT(handle, count, infos, instances, first_instance, stride_B);
}

static VKAPI_ATTR void VKAPI_CALL draw_multi_indexed(VkCommandBuffer handle, uint32_t count,
                                                     const VkMultiDrawIndexedInfoEXT *infos, uint32_t instances,
                                                     uint32_t first_instance, uint32_t stride_B, const int32_t *offset)
{
    if (is_ready(handle))
        next_of(handle)->CmdDrawMultiIndexedEXT(handle, count, infos, instances, first_instance, stride_B, offset);
}

static VKAPI_ATTR void VKAPI_CALL draw_byte_count(VkCommandBuffer handle, uint32_t instances, uint32_t first_instance,
                                                  VkBuffer counter, VkDeviceSize counter_at_B, uint32_t offset_B,
                                                  uint32_t stride_B)
{
    if (is_ready(handle))
        next_of(handle)->CmdDrawIndirectByteCountEXT(handle, instances, first_instance, counter, counter_at_B, offset_B,
                                                     stride_B);
}

static VKAPI_ATTR void VKAPI_CALL draw_mesh(VkCommandBuffer handle, uint32_t x, uint32_t y, uint32_t z)
{
    if (is_ready(handle))
        next_of(handle)->CmdDrawMeshTasksEXT(handle, x, y, z);
}

static VKAPI_ATTR void VKAPI_CALL draw_mesh_indirect(VkCommandBuffer handle, VkBuffer buffer, VkDeviceSize offset_B,
                                                     uint32_t count, uint32_t stride_B)
{
    if (is_ready(handle))
        next_of(handle)->CmdDrawMeshTasksIndirectEXT(handle, buffer, offset_B, count, stride_B);
}

static VKAPI_ATTR void VKAPI_CALL draw_mesh_indirect_count(VkCommandBuffer handle, VkBuffer buffer,
                                                           VkDeviceSize offset_B, VkBuffer counts,
                                                           VkDeviceSize counts_at_B, uint32_t most, uint32_t stride_B)
{
    if (is_ready(handle))
        next_of(handle)->CmdDrawMeshTasksIndirectCountEXT(handle, buffer, offset_B, counts, counts_at_B, most,
                                                          stride_B);
}

static const struct vk_device_dispatch entrypoints = {
    .CmdBindPipeline = bind_pipeline,
    .CmdBeginRendering = begin_rendering,
    .CmdExecuteCommands = execute_secondaries,
    .CmdDraw = draw,
    .CmdDrawIndexed = draw_indexed,
    .CmdDrawIndirect = draw_indirect,
    .CmdDrawIndexedIndirect = draw_indexed_indirect,
    .CmdDrawIndirectCount = draw_indirect_count,
    .CmdDrawIndexedIndirectCount = draw_indexed_indirect_count,
    .CmdDrawMultiEXT = draw_multi,
    .CmdDrawMultiIndexedEXT = draw_multi_indexed,
    .CmdDrawIndirectByteCountEXT = draw_byte_count,
    .CmdDrawMeshTasksEXT = draw_mesh,
    .CmdDrawMeshTasksIndirectEXT = draw_mesh_indirect,
    .CmdDrawMeshTasksIndirectCountEXT = draw_mesh_indirect_count,
};

const struct vk_layer vk_shader_object_layer = {.name = "shader objects", .entrypoints = &entrypoints};
