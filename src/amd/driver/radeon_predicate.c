/* VK_EXT_conditional_rendering. The graphics ring has a predicate of its own, which packets name by a bit in their
 * header. A compute ring has none: each dispatch stands after a packet that skips it where a word of memory is zero;
 * the word is a copy, inverted where that is asked for, because the condition is read when the block begins. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_memory.h"

static void write_word(struct radeon_cs *cs, uint64_t va, uint32_t value)
{
    RADEON_PACKET(cs, WRITE_DATA, .DST_SEL = AMD_WRITE_DST_MEM, .WR_CONFIRM = true, .ENGINE = AMD_CP_ENGINE_ME,
                  .ADDR = va, .tail_dw = 1);
    radeon_emit(cs, value);
}

static void begin_on_compute(struct radeon_cmd_buffer *cmd, uint64_t va, bool inverted)
{
    if (!radeon_cmd_upload(cmd, 4, 4, &cmd->predicate.va))
        return;
    radeon_cs_reserve(&cmd->cs, 32);
    write_word(&cmd->cs, cmd->predicate.va, inverted);
    RADEON_PACKET(&cmd->cs, COND_EXEC, .ADDR = va, .EXEC_COUNT = AMD_PKT_WRITE_DATA_DW + 1);
    write_word(&cmd->cs, cmd->predicate.va, !inverted);
    cmd->predicate.enabled = true;
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdBeginConditionalRenderingEXT(VkCommandBuffer handle,
                                                                  const VkConditionalRenderingBeginInfoEXT *info)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    uint64_t va = vk_buffer_from_handle(info->buffer)->va + info->offset;
    bool inverted = info->flags & VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT;
    radeon_cp_writes_wait(cmd);
    radeon_emit_due(cmd);
    if (cmd->is_compute) {
        begin_on_compute(cmd, va, inverted);
        return;
    }
    radeon_cs_reserve(&cmd->cs, AMD_PKT_SET_PREDICATION_DW);
    RADEON_PACKET(&cmd->cs, SET_PREDICATION, .PRED_OP = AMD_PREDICATE_OP_BOOL32,
                  .PRED_BOOL = inverted ? AMD_PREDICATE_BOOL_DRAW_IF_NOT_VISIBLE : AMD_PREDICATE_BOOL_DRAW_IF_VISIBLE,
                  .ADDR = va);
    cmd->predicate.enabled = true;
    cmd->graphics->last.is_odd = true;
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdEndConditionalRenderingEXT(VkCommandBuffer handle)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    cmd->predicate.enabled = false;
    if (cmd->is_compute)
        return;
    radeon_cs_reserve(&cmd->cs, AMD_PKT_SET_PREDICATION_DW);
    RADEON_PACKET(&cmd->cs, SET_PREDICATION, .PRED_OP = AMD_PREDICATE_OP_CLEAR);
}
