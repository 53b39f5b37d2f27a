/* Events and markers by the command processor: the host's side of events is the runtime's (vk_event.h). */
#include <string.h>

#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_dma.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_memory.h"
#include "vulkan/runtime/sync/vk_event.h"
#include "vulkan/runtime/sync/vk_synchronization.h"

/* After the stages: at the end of the pipe, unless all that is waited for is the command processor's own work. */
static void write_behind(struct radeon_cmd_buffer *cmd, VkPipelineStageFlags2 stages, uint64_t va, uint32_t value)
{
    const VkPipelineStageFlags2 of_processor = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_HOST_BIT;
    radeon_cp_writes_wait(cmd);
    radeon_emit_due(cmd);
    if (cmd->is_transfer) {
        radeon_dma_fence(cmd, va, value);
        return;
    }
    radeon_cs_reserve(&cmd->cs, 16);
    if (!(vk_expand_src_stages(stages) & ~of_processor)) {
        RADEON_PACKET(&cmd->cs, WRITE_DATA, .DST_SEL = AMD_WRITE_DST_MEM, .WR_CONFIRM = true,
                      .ENGINE = AMD_CP_ENGINE_ME, .ADDR = va, .tail_dw = 1);
        radeon_emit(&cmd->cs, value);
        return;
    }
    radeon_emit_release(cmd, va, AMD_RELEASE_DATA_32_BITS, value);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdSetEvent2(VkCommandBuffer handle, VkEvent event, const VkDependencyInfo *info)
{
    write_behind(radeon_cmd_buffer_from_handle(handle), vk_dependency_src_stages(info),
                 vk_event_from_handle(event)->bo->va, 1);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdResetEvent2(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags2 stages)
{
    write_behind(radeon_cmd_buffer_from_handle(handle), stages, vk_event_from_handle(event)->bo->va, 0);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdWaitEvents2(VkCommandBuffer handle, uint32_t count, const VkEvent *events,
                                                 const VkDependencyInfo *infos)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    for (uint32_t i = 0; i < count; i++) {
        radeon_cs_reserve(&cmd->cs, AMD_PKT_WAIT_REG_MEM_DW);
        RADEON_PACKET(&cmd->cs, WAIT_REG_MEM, .FUNCTION = AMD_CP_FUNCTION_EQUAL, .MEM_SPACE = AMD_WAIT_SPACE_MEM,
                      .ENGINE = AMD_CP_ENGINE_ME, .ADDR = vk_event_from_handle(events[i])->bo->va, .REFERENCE = 1,
                      .MASK = ~0u, .POLL_INTERVAL = 4);
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
