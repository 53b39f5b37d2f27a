/* Transform feedback (VK_EXT_transform_feedback): buffers, begin and end with counters. The hardware writes the buffers
 * itself; which outputs go where is in the program's group (graphics_pipeline.c). Draws by a byte count are in draw.c,
 * queries in query*.c.
 *
 * In tiles the buffers are written by the binning pass, which sees every draw once: with feedback there must be one. */
#include "adreno/driver/cmd.h"
#include "adreno/driver/entrypoints.h"
#include "adreno/hw/regs_cp.h"
#include "adreno/hw/regs_vpc.h"
#include "util/bits.h"
#include "vulkan/runtime/memory/vk_buffer.h"

#define ONCE_DW (8 + 24 * ADRENO_XFB_BUFFERS) /* of a begin or an end, at most */
#define BASE_ALIGN_B 32                       /* what VPC_SO#_BUFFER_BASE can name; the rest is counted by the offset */

static uint32_t rest_B(const struct adreno_cmd_buffer *cmd, uint32_t buffer)
{
    return (uint32_t)(cmd->graphics.xfb[buffer].va % BASE_ALIGN_B);
}

static uint32_t offset_reg(uint32_t buffer)
{
    return ADRENO_REG_VPC_SO_BUFFER_OFFSET + buffer * ADRENO_REG_VPC_SO_BUFFER_OFFSET_STRIDE;
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdBindTransformFeedbackBuffersEXT(VkCommandBuffer handle, uint32_t first,
                                                                     uint32_t count, const VkBuffer *buffers,
                                                                     const VkDeviceSize *offsets,
                                                                     const VkDeviceSize *sizes)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    for (uint32_t i = 0; i < count; i++) {
        const struct vk_buffer *buffer = vk_buffer_from_handle(buffers[i]);
        cmd->graphics.xfb[first + i].va = buffer->va + offsets[i];
        cmd->graphics.xfb[first + i].size_B = vk_buffer_range(buffer, offsets[i], sizes ? sizes[i] : VK_WHOLE_SIZE);
    }
}

/* ---- counters ---- */

struct counters {
    uint32_t first, count;
    const VkBuffer *buffers;
    const VkDeviceSize *offsets;
};

/* 0: the buffer has none. */
static uint64_t counter_va(const struct counters *counters, uint32_t buffer)
{
    const uint32_t at = buffer - counters->first;
    if (!counters->buffers || buffer < counters->first || at >= counters->count || !counters->buffers[at])
        return 0;
    return vk_buffer_from_handle(counters->buffers[at])->va + (counters->offsets ? counters->offsets[at] : 0);
}

static void add_to_register(struct adreno_cs *cs, uint32_t reg, uint32_t value)
{
    if (value)
        ADRENO_PACKET(cs, CP_REG_RMW, .DST_REG = reg, .SRC1_ADD = true, .SRC0 = UINT32_MAX, .SRC1 = value);
}

/* ---- begin and end ---- */

static void begin_buffer(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, uint32_t buffer, uint64_t counter)
{
    const uint32_t rest = rest_B(cmd, buffer), at = buffer * ADRENO_REG_VPC_SO_BUFFER_BASE_STRIDE;
    const uint64_t size_B = MIN2(cmd->graphics.xfb[buffer].size_B + rest, (uint64_t)UINT32_MAX & ~3ull);
    adreno_set_reg64(cs, ADRENO_REG_VPC_SO_BUFFER_BASE + at, cmd->graphics.xfb[buffer].va - rest);
    adreno_set_reg(cs, ADRENO_REG_VPC_SO_BUFFER_SIZE + at, ADRENO_PACK(VPC_SO_BUFFER_SIZE, .VALUE = (uint32_t)size_B));
    if (!counter) {
        adreno_set_reg(cs, offset_reg(buffer), ADRENO_PACK(VPC_SO_BUFFER_OFFSET, .VALUE = rest));
        return;
    }
    ADRENO_PACKET(cs, CP_MEM_TO_REG, .REG = offset_reg(buffer), .CNT = 1, .UNK31 = true, .SRC = counter);
    add_to_register(cs, offset_reg(buffer), rest);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdBeginTransformFeedbackEXT(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                               const VkBuffer *buffers, const VkDeviceSize *offsets)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    const struct counters counters = {first, count, buffers, offsets};
    struct adreno_cs *cs = adreno_cmd_stream(cmd);
    cmd->graphics.pass.needs_binning = true;
    adreno_emit_due(cmd, cs);
    adreno_cs_reserve(cs, ONCE_DW);
    uint32_t *size_dw = adreno_if_once(cs);
    adreno_set_reg(cs, ADRENO_REG_VPC_SO_OVERRIDE, 0);
    for (uint32_t i = 0; i < ADRENO_XFB_BUFFERS; i++) {
        if (cmd->graphics.xfb[i].size_B)
            begin_buffer(cmd, cs, i, counter_va(&counters, i));
    }
    adreno_end_if(cs, size_dw);
}

/* How far a buffer is filled comes to memory in dwords, by an event; a counter is in bytes. */
static void end_buffer(struct adreno_cmd_buffer *cmd, struct adreno_cs *cs, uint32_t buffer, uint64_t counter)
{
    ADRENO_PACKET(cs, CP_MEM_TO_REG, .REG = ADRENO_REG_CP_SCRATCH, .CNT = 1, .SHIFT_BY_2 = true, .UNK31 = true,
                  .SRC = adreno_word_va(cmd->device, ADRENO_WORD_FLUSH + 16 * buffer));
    add_to_register(cs, ADRENO_REG_CP_SCRATCH, 0u - rest_B(cmd, buffer));
    ADRENO_PACKET(cs, CP_REG_TO_MEM, .REG = ADRENO_REG_CP_SCRATCH, .CNT = 1, .DEST = counter);
}

VKAPI_ATTR void VKAPI_CALL adreno_CmdEndTransformFeedbackEXT(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                             const VkBuffer *buffers, const VkDeviceSize *offsets)
{
    struct adreno_cmd_buffer *cmd = adreno_cmd_buffer_from_handle(handle);
    const struct counters counters = {first, count, buffers, offsets};
    struct adreno_cs *cs = adreno_cmd_stream(cmd);
    adreno_cs_reserve(cs, ONCE_DW);
    uint32_t *size_dw = adreno_if_once(cs);
    ADRENO_REG(cs, VPC_SO_OVERRIDE, .DISABLE = true);
    for (uint32_t i = 0; i < ADRENO_XFB_BUFFERS; i++) {
        adreno_set_reg64(cs, ADRENO_REG_VPC_SO_FLUSH_BASE + i * ADRENO_REG_VPC_SO_FLUSH_BASE_STRIDE,
                         adreno_word_va(cmd->device, ADRENO_WORD_FLUSH + 16 * i));
        adreno_event(cs, (enum adreno_EVENT)(ADRENO_EVENT_FLUSH_SO_0 + i));
    }
    for (uint32_t i = 0; i < ADRENO_XFB_BUFFERS; i++) {
        const uint64_t counter = counter_va(&counters, i);
        if (counter)
            end_buffer(cmd, cs, i, counter);
    }
    adreno_end_if(cs, size_dw);
}
