/* Events and markers by the command processor: the host's side of events is the runtime's (vk_event.h). */
#include "adreno/driver/cmd.h"
#include "adreno/driver/entrypoints.h"
#include "vulkan/runtime/memory/vk_buffer.h"
#include "vulkan/runtime/sync/vk_event.h"
#include "vulkan/runtime/sync/vk_synchronization.h"

/* After the stages: at the end of the pipeline, unless all that is waited for is the command processor's own work. What
 * was made available before must be so for whoever waits. */
static void write_after(struct adreno_cmd_buffer *cmd, VkPipelineStageFlags2 stages, uint64_t va, uint32_t value)
{
    const VkPipelineStageFlags2 of_processor = VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_HOST_BIT;
    struct adreno_cs *cs = adreno_cmd_stream(cmd);
    adreno_emit_due(cmd, cs);
    adreno_cs_reserve(cs, 8);
    if (vk_expand_src_stages(stages) & ~of_processor) {
        adreno_event_write(cs, ADRENO_EVENT_RB_DONE_TS, va, value);
        return;
    }
    ADRENO_PACKET(cs, CP_MEM_WRITE, .ADDR = va, .tail_dw = 1);
    adreno_emit(cs, value);
    ADRENO_PACKET(cs, CP_WAIT_MEM_WRITES);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdSetEvent2(VkCommandBuffer handle, VkEvent event, const VkDependencyInfo *info)
{
    write_after(adreno_cmd_buffer_from_handle(handle), vk_dependency_src_stages(info),
                vk_event_from_handle(event)->bo->va, 1);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdResetEvent2(VkCommandBuffer handle, VkEvent event, VkPipelineStageFlags2 stages)
{
    write_after(adreno_cmd_buffer_from_handle(handle), stages, vk_event_from_handle(event)->bo->va, 0);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdWaitEvents2(VkCommandBuffer handle, uint32_t count, const VkEvent *events,
                                                 const VkDependencyInfo *infos)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    struct adreno_cs *cs = adreno_cmd_stream(cmd);
    for (uint32_t i = 0; i < count; i++) {
        adreno_cs_reserve(cs, ADRENO_PKT_CP_WAIT_REG_MEM_DW);
        ADRENO_PACKET(cs, CP_WAIT_REG_MEM, .FUNCTION = ADRENO_COND_FUNCTION_EQ, .POLL = ADRENO_POLL_MEMORY,
                      .POLL_ADDR = vk_event_from_handle(events[i])->bo->va, .REF = 1, .MASK = ~0u,
                      .DELAY_LOOP_CYCLES = 16);
    }
    for (uint32_t i = 0; i < count; i++)
        adreno_dependency(cmd, &infos[i]);
}

/* ---- markers ---- */

VKAPI_ATTR void VKAPI_CALL adreno_CmdWriteBufferMarker2AMD(VkCommandBuffer handle, VkPipelineStageFlags2 stage,
                                                           VkBuffer buffer, VkDeviceSize offset, uint32_t marker)
{
    write_after(adreno_cmd_buffer_from_handle(handle), stage, vk_buffer_from_handle(buffer)->va + offset, marker);
}
