/* Waits and cache operations as packets of GFX10.3.
 *
 * The render backends' caches are flushed by an event at the end of the pipe that also writes a fence word; the command
 * processor waits for that word. Everything else is waits for stages (partial flushes) and one ACQUIRE_MEM whose bits
 * say which caches are written back or dropped. */
#include "amd/driver/radeon_cmd.h"
#include "amd/hw/packets.h"
#include "amd/hw/regs_compute.h"

/* What RELEASE_MEM and ACQUIRE_MEM do with the caches behind the shaders' own. */
struct gcr {
    bool gli_inv, glm_wb, glm_inv, glk_inv, glv_inv, gl1_inv, gl2_inv, gl2_wb;
};

static struct gcr gcr_of(uint32_t bits)
{
    struct gcr gcr = {0};
    if (bits & RADEON_INV_ICACHE)
        gcr.gli_inv = true;
    if (bits & RADEON_INV_SCACHE)
        gcr.gl1_inv = gcr.glk_inv = true;
    if (bits & RADEON_INV_VCACHE)
        gcr.gl1_inv = gcr.glv_inv = true;
    if (bits & RADEON_INV_L2)
        gcr.gl2_inv = gcr.gl2_wb = gcr.glm_inv = gcr.glm_wb = true;
    else if (bits & RADEON_WB_L2)
        gcr.gl2_wb = gcr.glm_wb = gcr.glm_inv = true;
    else if (bits & RADEON_INV_L2_METADATA)
        gcr.glm_inv = gcr.glm_wb = true;
    return gcr;
}

static bool gcr_is_empty(const struct gcr *gcr)
{
    return !gcr->gli_inv && !gcr->glm_wb && !gcr->glm_inv && !gcr->glk_inv && !gcr->glv_inv && !gcr->gl1_inv &&
           !gcr->gl2_inv && !gcr->gl2_wb;
}

static void event(struct radeon_cs *cs, uint32_t type, uint32_t index)
{
    /* The short form: events without an address. */
    radeon_emit(cs, amd_pkt3_header(AMD_PKT_EVENT_WRITE, 2, (struct amd_pkt_flags){0}));
    radeon_emit(cs, type | index << 8);
}

static void acquire(struct radeon_cs *cs, const struct gcr *gcr)
{
    RADEON_PACKET(cs, ACQUIRE_MEM, .SIZE = 0xffffffffffffff, .POLL_INTERVAL = 10,
                  .GLI_INV = gcr->gli_inv ? AMD_GCR_GLI_INV_ALL : AMD_GCR_GLI_INV_NOP, .GLM_WB = gcr->glm_wb,
                  .GLM_INV = gcr->glm_inv, .GLK_INV = gcr->glk_inv, .GLV_INV = gcr->glv_inv, .GL1_INV = gcr->gl1_inv,
                  .GL2_INV = gcr->gl2_inv, .GL2_WB = gcr->gl2_wb);
}

/* The end of the pipe writes `value` to the fence when the targets are in memory (and, for what the release can do
 * itself, in front of L2); the command processor waits. */
static void release_and_wait(struct radeon_cs *cs, uint32_t bits, struct gcr *gcr, uint64_t fence_va, uint32_t value)
{
    bool cb = bits & RADEON_FLUSH_INV_CB, db = bits & RADEON_FLUSH_INV_DB;
    uint32_t type = cb && db ? AMD_EVENT_TYPE_CACHE_FLUSH_AND_INV_TS_EVENT
                    : cb     ? AMD_EVENT_TYPE_FLUSH_AND_INV_CB_DATA_TS
                             : AMD_EVENT_TYPE_FLUSH_AND_INV_DB_DATA_TS;
    RADEON_PACKET(cs, RELEASE_MEM, .EVENT_TYPE = type, .EVENT_INDEX = AMD_EVENT_INDEX_END_OF_PIPE,
                  .GLM_WB = gcr->glm_wb, .GLM_INV = gcr->glm_inv, .GL2_INV = gcr->gl2_inv, .GL2_WB = gcr->gl2_wb,
                  .SEQ = AMD_GCR_SEQ_FORWARD, .DST_SEL = AMD_RELEASE_DST_MEM,
                  .INT_SEL = AMD_RELEASE_INT_DATA_AFTER_CONFIRM, .DATA_SEL = AMD_RELEASE_DATA_32_BITS, .ADDR = fence_va,
                  .DATA = value);
    gcr->glm_wb = gcr->glm_inv = gcr->gl2_inv = gcr->gl2_wb = false;
    RADEON_PACKET(cs, WAIT_REG_MEM, .FUNCTION = AMD_CP_FUNCTION_EQUAL, .MEM_SPACE = AMD_WAIT_SPACE_MEM,
                  .ENGINE = AMD_CP_ENGINE_ME, .ADDR = fence_va, .REFERENCE = value, .MASK = ~0u, .POLL_INTERVAL = 4);
}

#define WAITS                                                                                                          \
    (RADEON_PS_PARTIAL_FLUSH | RADEON_VS_PARTIAL_FLUSH | RADEON_CS_PARTIAL_FLUSH | RADEON_FLUSH_INV_CB |               \
     RADEON_FLUSH_INV_DB)

static void emit(struct radeon_cs *cs, bool is_compute, uint32_t bits, uint64_t fence_va, uint32_t value)
{
    struct gcr gcr = gcr_of(bits);
    radeon_cs_reserve(cs, 64);
    if (!is_compute) {
        if (bits & (RADEON_FLUSH_INV_CB | RADEON_FLUSH_INV_CB_META))
            event(cs, AMD_EVENT_TYPE_FLUSH_AND_INV_CB_META, AMD_EVENT_INDEX_OTHER);
        if (bits & (RADEON_FLUSH_INV_DB | RADEON_FLUSH_INV_DB_META))
            event(cs, AMD_EVENT_TYPE_FLUSH_AND_INV_DB_META, AMD_EVENT_INDEX_OTHER);
        /* The end of the pipe is behind pixels and vertices. */
        if (!(bits & (RADEON_FLUSH_INV_CB | RADEON_FLUSH_INV_DB))) {
            if (bits & RADEON_PS_PARTIAL_FLUSH)
                event(cs, AMD_EVENT_TYPE_PS_PARTIAL_FLUSH, AMD_EVENT_INDEX_PARTIAL_FLUSH);
            else if (bits & RADEON_VS_PARTIAL_FLUSH)
                event(cs, AMD_EVENT_TYPE_VS_PARTIAL_FLUSH, AMD_EVENT_INDEX_PARTIAL_FLUSH);
        }
        if (bits & RADEON_VGT_FLUSH)
            event(cs, AMD_EVENT_TYPE_VGT_FLUSH, AMD_EVENT_INDEX_OTHER);
    }
    if (bits & RADEON_CS_PARTIAL_FLUSH)
        event(cs, AMD_EVENT_TYPE_CS_PARTIAL_FLUSH, AMD_EVENT_INDEX_PARTIAL_FLUSH);
    if (!is_compute && bits & (RADEON_FLUSH_INV_CB | RADEON_FLUSH_INV_DB))
        release_and_wait(cs, bits, &gcr, fence_va, value);
    /* The front of the processor fetches indices and indirect arguments ahead. It waits for cache operations by itself,
     * for the ends of stages only if it is told to. A compute ring has no front. */
    if (!gcr_is_empty(&gcr))
        acquire(cs, &gcr);
    else if (!is_compute && bits & WAITS)
        RADEON_PACKET(cs, PFP_SYNC_ME, .DUMMY = 0);
    if (bits & RADEON_START_PIPELINE_STATS) {
        if (is_compute)
            radeon_set_sh_reg(cs, AMD_REG_COMPUTE_PIPELINESTAT_ENABLE, 1);
        else
            event(cs, AMD_EVENT_TYPE_PIPELINESTAT_START, AMD_EVENT_INDEX_OTHER);
    } else if (bits & RADEON_STOP_PIPELINE_STATS) {
        if (is_compute)
            radeon_set_sh_reg(cs, AMD_REG_COMPUTE_PIPELINESTAT_ENABLE, 0);
        else
            event(cs, AMD_EVENT_TYPE_PIPELINESTAT_STOP, AMD_EVENT_INDEX_OTHER);
    }
}

void radeon_flush_emit(struct radeon_cs *cs, bool is_compute, uint32_t bits)
{
    assert(!(bits & (RADEON_FLUSH_INV_CB | RADEON_FLUSH_INV_DB)));
    emit(cs, is_compute, bits, 0, 0);
}

/* The fence word is this recording's own. It is cleared in the stream, because the recording may run again. */
static bool take_fence(struct radeon_cmd_buffer *cmd)
{
    if (cmd->fence_va)
        return true;
    if (!radeon_cmd_upload(cmd, 8, 8, &cmd->fence_va)) {
        cmd->fence_va = 0;
        return false;
    }
    radeon_cs_reserve(&cmd->cs, 8);
    RADEON_PACKET(&cmd->cs, WRITE_DATA, .DST_SEL = AMD_WRITE_DST_MEM, .WR_CONFIRM = true, .ENGINE = AMD_CP_ENGINE_ME,
                  .ADDR = cmd->fence_va, .tail_dw = 1);
    radeon_emit(&cmd->cs, 0);
    return true;
}

void radeon_emit_release(struct radeon_cmd_buffer *cmd, uint64_t va, uint32_t data_sel, uint64_t value)
{
    radeon_cs_reserve(&cmd->cs, AMD_PKT_RELEASE_MEM_DW);
    RADEON_PACKET(&cmd->cs, RELEASE_MEM, .EVENT_TYPE = AMD_EVENT_TYPE_BOTTOM_OF_PIPE_TS,
                  .EVENT_INDEX = AMD_EVENT_INDEX_END_OF_PIPE, .DST_SEL = AMD_RELEASE_DST_MEM,
                  .INT_SEL = AMD_RELEASE_INT_DATA_AFTER_CONFIRM, .DATA_SEL = data_sel, .ADDR = va, .DATA = value);
}

void radeon_flush(struct radeon_cmd_buffer *cmd)
{
    uint32_t bits = cmd->flush;
    cmd->flush = 0;
    if (cmd->is_compute)
        bits &= ~(uint32_t)(RADEON_FLUSH_INV_CB | RADEON_FLUSH_INV_CB_META | RADEON_FLUSH_INV_DB |
                            RADEON_FLUSH_INV_DB_META | RADEON_PS_PARTIAL_FLUSH | RADEON_VS_PARTIAL_FLUSH |
                            RADEON_VGT_FLUSH);
    if (!bits)
        return;
    if (bits & (RADEON_FLUSH_INV_CB | RADEON_FLUSH_INV_DB)) {
        if (!take_fence(cmd))
            return;
        cmd->fence_value++;
    }
    emit(&cmd->cs, cmd->is_compute, bits, cmd->fence_va, cmd->fence_value);
}
