/* Conditional rendering: draws and dispatches that the command processor leaves out. Its predicate has 64 bits,
 * Vulkan's 32, so that it is copied first. */
#include "adreno/driver/cmd.h"
#include "adreno/driver/entrypoints.h"
#include "vulkan/runtime/memory/vk_buffer.h"

VKAPI_ATTR void VKAPI_CALL adreno_CmdBeginConditionalRenderingEXT(VkCommandBuffer handle,
                                                                  const VkConditionalRenderingBeginInfoEXT *info)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    struct adreno_cs *cs = adreno_cmd_stream(cmd);
    uint64_t va;
    void *map = adreno_cmd_upload(cmd, 8, 8, &va);
    if (!map)
        return;
    memset(map, 0, 8);
    cmd->graphics.pass.needs_memory |= cmd->orders.due && cmd->graphics.pass.is_active;
    adreno_emit_due(cmd, cs);
    adreno_cs_reserve(cs, 24);
    ADRENO_PACKET(cs, CP_DRAW_PRED_ENABLE_GLOBAL, .ENABLE = true);
    adreno_emit(cs, adreno_pkt7_header(ADRENO_PKT_CP_MEM_TO_MEM, 6)); /* one word */
    adreno_emit(cs, 0);
    adreno_emit64(cs, va);
    adreno_emit64(cs, vk_buffer_from_handle(info->buffer)->va + info->offset);
    ADRENO_PACKET(cs, CP_WAIT_MEM_WRITES);
    ADRENO_PACKET(cs, CP_WAIT_FOR_ME);
    ADRENO_PACKET(cs, CP_DRAW_PRED_SET, .SRC = ADRENO_PRED_SRC_MEM,
                  .TEST = info->flags & VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT ? ADRENO_PRED_TEST_EQ_0_PASS
                                                                                  : ADRENO_PRED_TEST_NE_0_PASS,
                  .MEM_ADDR = va);
    cmd->graphics.is_predicated = true;
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdEndConditionalRenderingEXT(VkCommandBuffer handle)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    struct adreno_cs *cs = adreno_cmd_stream(cmd);
    adreno_cs_reserve(cs, 2);
    ADRENO_PACKET(cs, CP_DRAW_PRED_ENABLE_GLOBAL, .ENABLE = false);
    cmd->graphics.is_predicated = false;
}
