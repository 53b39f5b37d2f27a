/* VkEvent: a word in memory that the GPU or the host sets, and that the command processor waits for. */
#include <string.h>

#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_memory.h"
#include "vulkan/runtime/vk_synchronization.h"

struct radeon_event {
    struct vk_object_base base;
    struct ws_bo *bo;
    _Atomic uint32_t *map;
};

VK_DEFINE_CASTS(radeon_event, VkEvent)

VKAPI_ATTR VkResult VKAPI_CALL radeon_CreateEvent(VkDevice handle, const VkEventCreateInfo *info,
                                                  const VkAllocationCallbacks *allocator, VkEvent *event_out)
{
    struct radeon_device *device = radeon_device_from_handle(handle);
    struct radeon_event *event = vk_object_create(&device->vk, allocator, sizeof(*event), VK_OBJECT_TYPE_EVENT);
    if (!event)
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    void *map = NULL;
    int error = amd_ws_bo_create(device->ws, 4096, 4096, AMDGPU_GEM_DOMAIN_GTT, WS_BO_CPU_ACCESS, 0, &event->bo);
    if (!error)
        error = amd_ws_bo_map(event->bo, &map);
    if (error) {
        amd_ws_bo_unref(event->bo);
        vk_object_destroy(&device->vk, allocator, &event->base);
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    event->map = map;
    atomic_store(event->map, 0);
    *event_out = radeon_event_to_handle(event);
    return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL radeon_DestroyEvent(VkDevice handle, VkEvent event_handle,
                                               const VkAllocationCallbacks *allocator)
{
    struct radeon_event *event = radeon_event_from_handle(event_handle);
    if (!event)
        return;
    amd_ws_bo_unref(event->bo);
    vk_object_destroy(vk_device_from_handle(handle), allocator, &event->base);
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_GetEventStatus(VkDevice handle, VkEvent event)
{
    struct vk_device *device = vk_device_from_handle(handle);
    if (vk_device_is_lost(device))
        return VK_ERROR_DEVICE_LOST;
    return atomic_load(radeon_event_from_handle(event)->map) ? VK_EVENT_SET : VK_EVENT_RESET;
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_SetEvent(VkDevice handle, VkEvent event)
{
    atomic_store(radeon_event_from_handle(event)->map, 1);
    return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL radeon_ResetEvent(VkDevice handle, VkEvent event)
{
    atomic_store(radeon_event_from_handle(event)->map, 0);
    return VK_SUCCESS;
}

/* After the stages: at the end of the pipe, unless all that is waited for is the command processor's own work. */
static void write_behind(struct radeon_cmd_buffer *cmd, VkPipelineStageFlags2 stages, uint64_t va, uint32_t value)
{
    const VkPipelineStageFlags2 of_processor = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_HOST_BIT;
    radeon_cp_writes_wait(cmd);
    radeon_emit_due(cmd);
    radeon_cs_reserve(&cmd->cs, 16);
    if (!(vk_expand_src_stages(stages) & ~of_processor)) {
        RADEON_PACKET(&cmd->cs, WRITE_DATA, .DST_SEL = AMD_WRITE_DST_MEM, .WR_CONFIRM = true,
                      .ENGINE = AMD_CP_ENGINE_ME, .ADDR = va, .tail_dw = 1);
        radeon_emit(&cmd->cs, value);
        return;
    }
    radeon_emit_release(cmd, va, AMD_RELEASE_DATA_32_BITS, value);
}

static VkPipelineStageFlags2 stages_of(const VkDependencyInfo *info)
{
    VkPipelineStageFlags2 stages = 0;
    for (uint32_t i = 0; i < info->memoryBarrierCount; i++)
        stages |= info->pMemoryBarriers[i].srcStageMask;
    for (uint32_t i = 0; i < info->bufferMemoryBarrierCount; i++)
        stages |= info->pBufferMemoryBarriers[i].srcStageMask;
    for (uint32_t i = 0; i < info->imageMemoryBarrierCount; i++)
        stages |= info->pImageMemoryBarriers[i].srcStageMask;
    return stages;
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdSetEvent2(VkCommandBuffer handle, VkEvent event, const VkDependencyInfo *info)
{
    write_behind(radeon_cmd_buffer_from_handle(handle), stages_of(info), radeon_event_from_handle(event)->bo->vk.va, 1);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdResetEvent2(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags2 stages)
{
    write_behind(radeon_cmd_buffer_from_handle(handle), stages, radeon_event_from_handle(event)->bo->vk.va, 0);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdWaitEvents2(VkCommandBuffer handle, uint32_t count, const VkEvent *events,
                                                 const VkDependencyInfo *infos)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    for (uint32_t i = 0; i < count; i++) {
        radeon_cs_reserve(&cmd->cs, AMD_PKT_WAIT_REG_MEM_DW);
        RADEON_PACKET(&cmd->cs, WAIT_REG_MEM, .FUNCTION = AMD_CP_FUNCTION_EQUAL, .MEM_SPACE = AMD_WAIT_SPACE_MEM,
                      .ENGINE = AMD_CP_ENGINE_ME, .ADDR = radeon_event_from_handle(events[i])->bo->vk.va,
                      .REFERENCE = 1, .MASK = ~0u, .POLL_INTERVAL = 4);
    }
    for (uint32_t i = 0; i < count; i++)
        radeon_dependency(cmd, &infos[i]);
}

/* ---- markers ---- */

VKAPI_ATTR void VKAPI_CALL radeon_CmdWriteBufferMarker2AMD(VkCommandBuffer handle, VkPipelineStageFlags2 stage,
                                                           VkBuffer buffer, VkDeviceSize offset, uint32_t marker)
{
    write_behind(radeon_cmd_buffer_from_handle(handle), stage, vk_buffer_from_handle(buffer)->va + offset, marker);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdWriteBufferMarkerAMD(VkCommandBuffer handle, VkPipelineStageFlagBits stage,
                                                          VkBuffer buffer, VkDeviceSize offset, uint32_t marker)
{
    radeon_CmdWriteBufferMarker2AMD(handle, (VkPipelineStageFlags2)stage, buffer, offset, marker);
}
