/* Waits and cache operations as packets of GFX10.3.
 *
 * The render backends' caches are emptied by an event at the end of the pipe that also writes a fence word; the command
 * processor waits for that word. Everything else is events of one dword, which the table has in their order, and one
 * ACQUIRE_MEM whose fields say which of the caches below write back or drop. */
#include "amd/driver/radeon_order.h"

#include "amd/driver/radeon_cmd.h"
#include "amd/driver/radeon_dma.h"
#include "amd/hw/packets.h"
#include "amd/hw/regs_compute.h"
#include "util/bits.h"

#define BACKENDS (RADEON_OUT_COLOR | RADEON_OUT_DEPTH)
#define BACKENDS_METADATA (RADEON_OUT_COLOR_METADATA | RADEON_OUT_DEPTH_METADATA)
#define AFTER (RADEON_AFTER_VERTICES | RADEON_AFTER_PIXELS | RADEON_AFTER_COMPUTE)
/* Stages and caches that only a graphics ring has. */
#define GRAPHICS (BACKENDS | BACKENDS_METADATA | RADEON_AFTER_VERTICES | RADEON_AFTER_PIXELS | RADEON_GEOMETRY_ENDS)
/* The caches that RELEASE_MEM can handle on its way, and those that are ACQUIRE_MEM's alone. */
#define LOWER (RADEON_FRESH_L2)
#define UPPER (RADEON_FRESH_CODE | RADEON_FRESH_SCALAR | RADEON_FRESH_VECTOR)

/* Each event that stands by itself: written where something of `due` is, unless something of `covered_by` is, whose
 * packet waits for more. */
static const struct {
    uint32_t due, covered_by;
    uint8_t type, index;
} events[] = {
    /* Metadata goes first: the end of the pipe, which writes back pixels, comes after it. */
    {RADEON_OUT_ALL_COLOR, 0, AMD_EVENT_TYPE_FLUSH_AND_INV_CB_META, AMD_EVENT_INDEX_OTHER},
    {RADEON_OUT_ALL_DEPTH, 0, AMD_EVENT_TYPE_FLUSH_AND_INV_DB_META, AMD_EVENT_INDEX_OTHER},
    /* The end of the pipe is after pixels, and pixels are after vertices. */
    {RADEON_AFTER_PIXELS, BACKENDS, AMD_EVENT_TYPE_PS_PARTIAL_FLUSH, AMD_EVENT_INDEX_PARTIAL_FLUSH},
    {RADEON_AFTER_VERTICES, BACKENDS | RADEON_AFTER_PIXELS, AMD_EVENT_TYPE_VS_PARTIAL_FLUSH,
     AMD_EVENT_INDEX_PARTIAL_FLUSH},
    {RADEON_GEOMETRY_ENDS, 0, AMD_EVENT_TYPE_VGT_FLUSH, AMD_EVENT_INDEX_OTHER},
    {RADEON_AFTER_COMPUTE, 0, AMD_EVENT_TYPE_CS_PARTIAL_FLUSH, AMD_EVENT_INDEX_PARTIAL_FLUSH},
};

static void emit_event(struct radeon_cs *cs, uint32_t type, uint32_t index)
{
    /* The short form: events without an address. */
    radeon_emit(cs, amd_pkt3_header(AMD_PKT_EVENT_WRITE, 2, (struct amd_pkt_flags){0}));
    radeon_emit(cs, type | index << 8);
}

#define DROPS(cache) ((order & RADEON_DROP(cache)) != 0)
#define WRITES_BACK(cache) ((order & RADEON_WRITE_BACK(cache)) != 0)

static void emit_acquire(struct radeon_cs *cs, uint32_t order)
{
    RADEON_PACKET(cs, ACQUIRE_MEM, .SIZE = 0xffffffffffffff, .POLL_INTERVAL = 10,
                  .GLI_INV = DROPS(CODE) ? AMD_GCR_GLI_INV_ALL : AMD_GCR_GLI_INV_NOP, .GLK_INV = DROPS(SCALAR),
                  .GLV_INV = DROPS(VECTOR), .GL1_INV = DROPS(L1), .GLM_WB = WRITES_BACK(METADATA),
                  .GLM_INV = DROPS(METADATA), .GL2_WB = WRITES_BACK(L2), .GL2_INV = DROPS(L2));
}

/* The end of the pipe writes `value` to the fence when the targets are in L2 and what of L2 itself is due is done; the
 * command processor waits. */
static void emit_release_and_wait(struct radeon_cs *cs, uint32_t order, uint64_t fence_va, uint32_t value)
{
    static const uint8_t types[] = {[1] = AMD_EVENT_TYPE_FLUSH_AND_INV_CB_DATA_TS,
                                    [2] = AMD_EVENT_TYPE_FLUSH_AND_INV_DB_DATA_TS,
                                    [3] = AMD_EVENT_TYPE_CACHE_FLUSH_AND_INV_TS_EVENT};
    unsigned which = ((order & RADEON_OUT_COLOR) != 0) | ((order & RADEON_OUT_DEPTH) != 0) << 1;
    RADEON_PACKET(cs, RELEASE_MEM, .EVENT_TYPE = types[which], .EVENT_INDEX = AMD_EVENT_INDEX_END_OF_PIPE,
                  .GLM_WB = WRITES_BACK(METADATA), .GLM_INV = DROPS(METADATA), .GL2_INV = DROPS(L2),
                  .GL2_WB = WRITES_BACK(L2), .SEQ = AMD_GCR_SEQ_FORWARD, .DST_SEL = AMD_RELEASE_DST_MEM,
                  .INT_SEL = AMD_RELEASE_INT_DATA_AFTER_CONFIRM, .DATA_SEL = AMD_RELEASE_DATA_32_BITS, .ADDR = fence_va,
                  .DATA = value);
    RADEON_PACKET(cs, WAIT_REG_MEM, .FUNCTION = AMD_CP_FUNCTION_EQUAL, .MEM_SPACE = AMD_WAIT_SPACE_MEM,
                  .ENGINE = AMD_CP_ENGINE_ME, .ADDR = fence_va, .REFERENCE = value, .MASK = ~0u, .POLL_INTERVAL = 4);
}

static void emit_statistics(struct radeon_cs *cs, bool is_compute, bool is_on)
{
    if (is_compute)
        radeon_set_sh_reg(cs, AMD_REG_COMPUTE_PIPELINESTAT_ENABLE, is_on);
    else
        emit_event(cs, is_on ? AMD_EVENT_TYPE_PIPELINESTAT_START : AMD_EVENT_TYPE_PIPELINESTAT_STOP,
                   AMD_EVENT_INDEX_OTHER);
}

static void emit_order(struct radeon_cs *cs, bool is_compute, uint32_t order, uint64_t fence_va, uint32_t value)
{
    radeon_cs_reserve(cs, 64);
    for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
        if (order & events[i].due && !(order & events[i].covered_by))
            emit_event(cs, events[i].type, events[i].index);
    }
    uint32_t waited = order & (AFTER | BACKENDS);
    if (order & BACKENDS) {
        emit_release_and_wait(cs, order, fence_va, value);
        order &= ~(uint32_t)LOWER;
    }
    /* The front of the processor fetches indices and indirect arguments ahead. It waits for cache operations by itself,
     * for the ends of stages only by a packet. A compute ring has no front. */
    if (order & (LOWER | UPPER))
        emit_acquire(cs, order);
    else if (!is_compute && waited)
        RADEON_PACKET(cs, PFP_SYNC_ME, .DUMMY = 0);
    if (order & (RADEON_STATISTICS_ON | RADEON_STATISTICS_OFF))
        emit_statistics(cs, is_compute, order & RADEON_STATISTICS_ON);
}

void radeon_emit_order(struct radeon_cs *cs, bool is_compute, uint32_t order)
{
    assert(!(order & BACKENDS));
    emit_order(cs, is_compute, is_compute ? order & ~(uint32_t)GRAPHICS : order, 0, 0);
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

void radeon_emit_due(struct radeon_cmd_buffer *cmd)
{
    uint32_t order = cmd->is_compute ? cmd->due & ~(uint32_t)GRAPHICS : cmd->due;
    cmd->due = 0;
    if (!order)
        return;
    if (cmd->is_transfer) {
        radeon_dma_wait(cmd);
        return;
    }
    if (order & BACKENDS) {
        if (!take_fence(cmd))
            return;
        cmd->fence_value++;
    }
    emit_order(&cmd->cs, cmd->is_compute, order, cmd->fence_va, cmd->fence_value);
}
