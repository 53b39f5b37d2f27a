/* Transform feedback (VK_EXT_transform_feedback): buffers, begin and end with counters, and the registers that a draw
 * needs. Shaders write the buffers themselves (amd/compiler/lower_amd_xfb.c) in the old vertex stage, which receives
 * where; the hardware counts how far each buffer is filled. Draws by a byte count are in radeon_draw.c, queries in
 * radeon_query*.c.
 *
 * Registers say that nothing is written but from a captured draw to the end of its feedback or to another pipeline's
 * draw: so no command buffer begins with anything else. */
#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_entrypoints.h"
#include "amd/driver/radeon_format.h"
#include "amd/driver/radeon_memory.h"
#include "amd/hw/descriptors.h"
#include "amd/hw/regs_cp.h"
#include "amd/hw/regs_ge.h"
#include "amd/hw/regs_spi.h"
#include "util/bits.h"

/* ---- buffers ---- */

VKAPI_ATTR void VKAPI_CALL radeon_CmdBindTransformFeedbackBuffersEXT(VkCommandBuffer handle, uint32_t first,
                                                                     uint32_t count, const VkBuffer *buffers,
                                                                     const VkDeviceSize *offsets,
                                                                     const VkDeviceSize *sizes)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    for (uint32_t i = 0; i < count; i++) {
        const struct vk_buffer *buffer = vk_buffer_from_handle(buffers[i]);
        bool rest = !sizes || sizes[i] == VK_WHOLE_SIZE;
        cmd->graphics->xfb.buffers[first + i].va = buffer->va + offsets[i];
        cmd->graphics->xfb.buffers[first + i].size_B = rest ? buffer->size_B - offsets[i] : sizes[i];
    }
    cmd->graphics->xfb.descriptors_va = 0;
    cmd->graphics->dirty |= RADEON_DIRTY_XFB;
}

/* Raw buffers; those that are not bound take nothing. */
static uint64_t upload_descriptors(struct radeon_cmd_buffer *cmd)
{
    uint64_t va;
    uint32_t *words = radeon_cmd_upload(cmd, RADEON_XFB_BUFFERS * 16, 16, &va);
    if (!words)
        return 0;
    for (uint32_t i = 0; i < RADEON_XFB_BUFFERS; i++)
        amd_pack_desc_BUFFER(
            RADEON_GFX, words + 4 * i,
            &(const struct amd_desc_BUFFER){
                .BASE_ADDRESS = cmd->graphics->xfb.buffers[i].va & 0xffffffffffffull,
                .NUM_RECORDS = (uint32_t)MIN2(cmd->graphics->xfb.buffers[i].size_B, (uint64_t)UINT32_MAX),
                .DST_SEL_X = AMD_DST_SEL_X,
                .DST_SEL_Y = AMD_DST_SEL_Y,
                .DST_SEL_Z = AMD_DST_SEL_Z,
                .DST_SEL_W = AMD_DST_SEL_W,
                .FORMAT = radeon_format(VK_FORMAT_R32_UINT)->image,
                .RESOURCE_LEVEL = 1,
                .OOB_SELECT = AMD_OOB_SELECT_RAW,
            });
    return va;
}

/* ---- what a draw needs ---- */

/* `streams`: buffers of each, four bits. */
static void emit_enable(struct radeon_cmd_buffer *cmd, uint16_t streams)
{
    if (cmd->graphics->xfb.enabled == streams)
        return;
    radeon_cs_reserve(&cmd->cs, 4);
    radeon_set_context_reg_seq(&cmd->cs, AMD_REG_VGT_STRMOUT_CONFIG, 2);
    radeon_emit(&cmd->cs,
                AMD_PACK(RADEON_GFX, VGT_STRMOUT_CONFIG, .STREAMOUT_0_EN = streams != 0, .STREAMOUT_1_EN = streams != 0,
                         .STREAMOUT_2_EN = streams != 0, .STREAMOUT_3_EN = streams != 0));
    radeon_emit(&cmd->cs, streams);
    cmd->graphics->xfb.enabled = streams;
}

/* The program that writes the buffers, and the register of its s0. */
static const struct radeon_shader *capturing(const struct radeon_graphics_pipeline *baked, uint32_t *user_reg_out)
{
    *user_reg_out = baked->copy ? AMD_REG_SPI_SHADER_USER_DATA_VS : baked->vertex_user_reg;
    return baked->copy ? baked->copy : baked->vertex;
}

static void emit_strides(struct radeon_cs *cs, const struct amd_shader_config *config, uint32_t buffers)
{
    bits_foreach (buffers, buffer) {
        radeon_cs_reserve(cs, 3);
        radeon_set_context_reg(
            cs, AMD_REG_VGT_STRMOUT_VTX_STRIDE + (uint32_t)buffer * AMD_REG_VGT_STRMOUT_VTX_STRIDE_STRIDE,
            config->xfb_stride_B[buffer] / 4);
    }
}

static void __attribute__((noinline)) emit_capture(struct radeon_cmd_buffer *cmd)
{
    const struct radeon_graphics_pipeline *baked = cmd->graphics->baked;
    uint32_t user_reg;
    const struct amd_shader_config *config = &capturing(baked, &user_reg)->binary.config;
    emit_enable(cmd, cmd->graphics->xfb.active ? baked->xfb_streams : 0);
    if (cmd->graphics->xfb.active)
        emit_strides(&cmd->cs, config, baked->xfb_buffers);
    struct amd_sgpr_place place = config->user[AMD_USER_xfb_buffers];
    if (!place.count)
        return;
    /* The shader may load descriptors although it writes nothing. */
    if (!cmd->graphics->xfb.descriptors_va)
        cmd->graphics->xfb.descriptors_va = upload_descriptors(cmd);
    if (!cmd->graphics->xfb.descriptors_va)
        return;
    radeon_cs_reserve(&cmd->cs, 3);
    radeon_set_sh_reg(&cmd->cs, user_reg + place.first * 4u,
                      radeon_pointer32(cmd->device, cmd->graphics->xfb.descriptors_va));
}

void radeon_emit_xfb(struct radeon_cmd_buffer *cmd)
{
    if (radeon_has_xfb(cmd->graphics))
        emit_capture(cmd);
}

/* ---- begin and end ---- */

/* The command processor knows how far buffers are filled when the geometry engine has reported it. */
static void wait_for_counts(struct radeon_cs *cs)
{
    radeon_cs_reserve(cs, 16);
    radeon_set_uconfig_reg(cs, AMD_REG_CP_STRMOUT_CNTL, 0);
    radeon_emit(cs, amd_pkt3_header(AMD_PKT_EVENT_WRITE, 2, (struct amd_pkt_flags){0})); /* without an address */
    radeon_emit(cs, AMD_EVENT_TYPE_SO_VGTSTREAMOUT_FLUSH | AMD_EVENT_INDEX_OTHER << 8);
    RADEON_PACKET(cs, WAIT_REG_MEM, .FUNCTION = AMD_CP_FUNCTION_EQUAL, .MEM_SPACE = AMD_WAIT_SPACE_REG,
                  .ENGINE = AMD_CP_ENGINE_ME, .REG = AMD_REG_CP_STRMOUT_CNTL / 4, .REFERENCE = 1, .MASK = 1,
                  .POLL_INTERVAL = 4);
}

struct counters {
    uint32_t first, count;
    const VkBuffer *buffers;
    const VkDeviceSize *offsets;
};

/* 0: the buffer has none. */
static uint64_t counter_va(const struct counters *counters, uint32_t buffer)
{
    uint32_t at = buffer - counters->first;
    if (!counters->buffers || buffer < counters->first || at >= counters->count || !counters->buffers[at])
        return 0;
    return vk_buffer_from_handle(counters->buffers[at])->va + (counters->offsets ? counters->offsets[at] : 0);
}

static void begin_buffer(struct radeon_cmd_buffer *cmd, uint32_t buffer, uint64_t counter)
{
    struct radeon_cs *cs = &cmd->cs;
    radeon_cs_reserve(cs, 16);
    radeon_set_context_reg(cs, AMD_REG_VGT_STRMOUT_BUFFER_SIZE + buffer * AMD_REG_VGT_STRMOUT_BUFFER_SIZE_STRIDE,
                           (uint32_t)(MIN2(cmd->graphics->xfb.buffers[buffer].size_B, (uint64_t)UINT32_MAX) / 4));
    if (counter)
        RADEON_PACKET(cs, STRMOUT_BUFFER_UPDATE, .OFFSET_SOURCE = AMD_STRMOUT_SOURCE_MEM, .DATA_TYPE = 1,
                      .BUFFER_SELECT = buffer, .SRC_ADDR = counter);
    else
        RADEON_PACKET(cs, STRMOUT_BUFFER_UPDATE, .OFFSET_SOURCE = AMD_STRMOUT_SOURCE_PACKET, .DATA_TYPE = 1,
                      .BUFFER_SELECT = buffer);
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdBeginTransformFeedbackEXT(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                               const VkBuffer *buffers, const VkDeviceSize *offsets)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    const struct counters counters = {first, count, buffers, offsets};
    cmd->graphics->xfb.active = true;
    cmd->graphics->dirty |= RADEON_DIRTY_XFB;
    radeon_emit_due(cmd);
    wait_for_counts(&cmd->cs);
    /* All that are bound: which of them shaders write is known with the draw, where they are objects. */
    for (uint32_t buffer = 0; buffer < RADEON_XFB_BUFFERS; buffer++) {
        if (cmd->graphics->xfb.buffers[buffer].va)
            begin_buffer(cmd, buffer, counter_va(&counters, buffer));
    }
}

VKAPI_ATTR void VKAPI_CALL radeon_CmdEndTransformFeedbackEXT(VkCommandBuffer handle, uint32_t first, uint32_t count,
                                                             const VkBuffer *buffers, const VkDeviceSize *offsets)
{
    struct radeon_cmd_buffer *cmd = radeon_cmd_buffer_from_handle(handle);
    const struct counters counters = {first, count, buffers, offsets};
    uint8_t captured = cmd->graphics->baked ? cmd->graphics->baked->xfb_buffers : 0;
    cmd->graphics->xfb.active = false;
    wait_for_counts(&cmd->cs);
    bits_foreach (captured, buffer) {
        uint64_t va = counter_va(&counters, (uint32_t)buffer);
        if (!va)
            continue;
        radeon_cs_reserve(&cmd->cs, AMD_PKT_STRMOUT_BUFFER_UPDATE_DW);
        RADEON_PACKET(&cmd->cs, STRMOUT_BUFFER_UPDATE, .STORE_FILLED_SIZE = true,
                      .OFFSET_SOURCE = AMD_STRMOUT_SOURCE_NONE, .DATA_TYPE = 1, .BUFFER_SELECT = (uint32_t)buffer,
                      .DST_ADDR = va);
    }
    emit_enable(cmd, 0);
}
