/* Waits, events and end-of-pipe writes. Every packet's work is in memory when the packet ends, so what a flush or a
 * partial flush waits for has always happened, and an end-of-pipe write is a write. What is real is the order between
 * rings and with the host, which goes through memory. */
#include <errno.h>
#include <string.h>

#include "amd/hw/regs_cp.h"
#include "amd/model/cp/cp_machine.h"
#include "amd/model/spi/spi_compute.h"
#include "model/drm/drm_ring.h"
#include "util/bits.h"

/* ---- waits ---- */

/* Does `value` stand in this relation (enum amd_CP_FUNCTION) to the reference? */
static bool amd_cp_compare(unsigned function, uint64_t value, uint64_t reference)
{
    switch (function) {
    case AMD_CP_FUNCTION_LESS:
        return value < reference;
    case AMD_CP_FUNCTION_LEQUAL:
        return value <= reference;
    case AMD_CP_FUNCTION_EQUAL:
        return value == reference;
    case AMD_CP_FUNCTION_NOTEQUAL:
        return value != reference;
    case AMD_CP_FUNCTION_GEQUAL:
        return value >= reference;
    case AMD_CP_FUNCTION_GREATER:
        return value > reference;
    default:
        return true;
    }
}

struct wait {
    unsigned function;
    bool memory;
    uint64_t va;
    uint32_t reg_offset_B;
    uint32_t size_B;
    uint64_t reference;
    uint64_t mask;
};

#define WAIT_SPINS 64
#define WAIT_LONGEST_US 500

static bool poll_memory(struct cp_machine *m, const struct wait *wait)
{
    for (uint32_t tries = 0;; tries++) {
        uint64_t value;
        uint32_t word[2] = {0};
        if (wait->memory) {
            if (!amd_cp_load(m, wait->va, wait->size_B, &value))
                return false;
        } else {
            for (unsigned i = 0; i < wait->size_B / 4; i++) {
                if (!amd_cp_read_register(m, wait->reg_offset_B + 4 * i, &word[i]))
                    return false;
            }
            value = word[0] | (uint64_t)word[1] << 32;
        }
        if (amd_cp_compare(wait->function, value & wait->mask, wait->reference))
            return true;
        if (cp_is_killed(m))
            return amd_cp_killed(m);
        drm_ring_pause(m->thread, m->job, tries < WAIT_SPINS ? 0 : MIN2(tries - WAIT_SPINS + 1, WAIT_LONGEST_US));
    }
}

/* A word that is looked at again and again needs nothing of caches; what came before it is known then. */
static bool wait_until(struct cp_machine *m, const struct wait *wait)
{
    struct coherence_actor *accessor = m->accessor;
    m->accessor = NULL;
    const bool ok = poll_memory(m, wait);
    m->accessor = accessor;
    if (m->actor && ok && wait->memory)
        amd_cp_coherence_acquire(m, wait->function, wait->va, wait->reference, wait->mask);
    return ok;
}

bool amd_cp_wait_memory(struct cp_machine *m, unsigned function, uint64_t va, uint32_t reference, uint32_t mask)
{
    const struct wait wait = {function, true, va & ~3ull, 0, 4, reference, mask};
    return wait_until(m, &wait);
}

bool amd_cp_wait_reg_mem(struct cp_machine *m)
{
    struct amd_pkt_WAIT_REG_MEM p;
    if (!CP_UNPACK(m, WAIT_REG_MEM, &p))
        return false;
    if (p.OPERATION == AMD_WAIT_OPERATION_WRITE_WAIT_WRITE)
        return amd_cp_stop(m, "a wait that writes a register first: the kernel's alone");
    const struct wait wait = {p.FUNCTION, p.MEM_SPACE == AMD_WAIT_SPACE_MEM, p.ADDR & ~3ull, 4 * p.REG, 4, p.REFERENCE,
                              p.MASK};
    return wait_until(m, &wait);
}

bool amd_cp_wait_reg_mem64(struct cp_machine *m)
{
    struct amd_pkt_WAIT_REG_MEM64 p;
    if (!CP_UNPACK(m, WAIT_REG_MEM64, &p))
        return false;
    if (p.OPERATION == AMD_WAIT_OPERATION_WRITE_WAIT_WRITE)
        return amd_cp_stop(m, "a wait that writes a register first: the kernel's alone");
    const struct wait wait = {p.FUNCTION, p.MEM_SPACE == AMD_WAIT_SPACE_MEM, p.ADDR & ~7ull, 4 * p.REG, 8, p.REFERENCE,
                              p.MASK};
    return wait_until(m, &wait);
}

/* ---- events ---- */

/* The count of samples that passed so far, from each render backend that is there, 16 bytes apart. A harvested one
 * writes nothing: drivers must not wait for its bit 63, nor add it up. */
static bool write_zpass(struct cp_machine *m, uint64_t va)
{
    bits_foreach (m->device->chip->rb_enabled_mask, rb) {
        if (!amd_cp_store(m, va + rb * 16, 8, m->counters.zpass[rb] | 1ull << 63))
            return false;
    }
    return true;
}

/* A compute ring has one of the counters, and writes it where it is told: RADV names the counter's own place. */
static bool write_pipeline_stats(struct cp_machine *m, uint64_t va)
{
    if (m->ring_kind == AMD_RING_COMPUTE)
        return amd_cp_store(m, va, 8, m->counters.stats[CP_STAT_CS_INVOCATIONS]);
    for (unsigned i = 0; i < CP_STAT_COUNT; i++) {
        if (!amd_cp_store(m, va + i * 8, 8, m->counters.stats[i]))
            return false;
    }
    return true;
}

static bool write_stream_stats(struct cp_machine *m, uint64_t va, unsigned stream)
{
    return amd_cp_store(m, va, 8, m->counters.stream_needs[stream] | 1ull << 63) &&
           amd_cp_store(m, va + 8, 8, m->counters.streamed[stream] | 1ull << 63);
}

enum event_class {
    EVENT_UNKNOWN,   /* stop */
    EVENT_ORDER,     /* waits, flushes and invalidates: already so, see above */
    EVENT_HINT,      /* a hint to the hardware that changes no result */
    EVENT_STREAMOUT, /* stop */
    EVENT_STREAMOUT_FLUSH,
    EVENT_STREAMOUT_SAMPLE,
    EVENT_ZPASS,
    EVENT_STATS_ON,
    EVENT_STATS_OFF,
    EVENT_STATS_SAMPLE,
    EVENT_PERF_ON,
    EVENT_PERF_OFF,
};

static const uint8_t event_classes[64] = {
    [AMD_EVENT_TYPE_CACHE_FLUSH_TS] = EVENT_ORDER,
    [AMD_EVENT_TYPE_CONTEXT_DONE] = EVENT_ORDER,
    [AMD_EVENT_TYPE_CACHE_FLUSH] = EVENT_ORDER,
    [AMD_EVENT_TYPE_CS_PARTIAL_FLUSH] = EVENT_ORDER,
    [AMD_EVENT_TYPE_END_OF_PIPE_INCR_DE] = EVENT_ORDER,
    [AMD_EVENT_TYPE_END_OF_PIPE_IB_END] = EVENT_ORDER,
    [AMD_EVENT_TYPE_VS_PARTIAL_FLUSH] = EVENT_ORDER,
    [AMD_EVENT_TYPE_PS_PARTIAL_FLUSH] = EVENT_ORDER,
    [AMD_EVENT_TYPE_FLUSH_HS_OUTPUT] = EVENT_ORDER,
    [AMD_EVENT_TYPE_FLUSH_ES_OUTPUT] = EVENT_ORDER,
    [AMD_EVENT_TYPE_CACHE_FLUSH_AND_INV_TS_EVENT] = EVENT_ORDER,
    [AMD_EVENT_TYPE_CACHE_FLUSH_AND_INV_EVENT] = EVENT_ORDER,
    [AMD_EVENT_TYPE_CS_CONTEXT_DONE] = EVENT_ORDER,
    [AMD_EVENT_TYPE_BLOCK_CONTEXT_DONE] = EVENT_ORDER,
    [AMD_EVENT_TYPE_VGT_FLUSH] = EVENT_ORDER,
    [AMD_EVENT_TYPE_BOTTOM_OF_PIPE_TS] = EVENT_ORDER,
    [AMD_EVENT_TYPE_FLUSH_SX_TS] = EVENT_ORDER,
    [AMD_EVENT_TYPE_DB_CACHE_FLUSH_AND_INV] = EVENT_ORDER,
    [AMD_EVENT_TYPE_FLUSH_AND_INV_DB_DATA_TS] = EVENT_ORDER,
    [AMD_EVENT_TYPE_FLUSH_AND_INV_DB_META] = EVENT_ORDER,
    [AMD_EVENT_TYPE_FLUSH_AND_INV_CB_DATA_TS] = EVENT_ORDER,
    [AMD_EVENT_TYPE_FLUSH_AND_INV_CB_META] = EVENT_ORDER,
    [AMD_EVENT_TYPE_FLUSH_AND_INV_CB_PIXEL_DATA] = EVENT_ORDER,
    [AMD_EVENT_TYPE_SX_CB_RAT_ACK_REQUEST] = EVENT_ORDER,
    [AMD_EVENT_TYPE_CS_DONE] = EVENT_ORDER,
    [AMD_EVENT_TYPE_PS_DONE] = EVENT_ORDER,
    [AMD_EVENT_TYPE_DRAW_DONE] = EVENT_ORDER,

    [AMD_EVENT_TYPE_BREAK_BATCH] = EVENT_HINT, /* binning: the order of work, not its result */
    [AMD_EVENT_TYPE_FLUSH_DFSM] = EVENT_HINT,  /* the same */
    [AMD_EVENT_TYPE_BIN_CONF_OVERRIDE_CHECK] = EVENT_HINT,
    [AMD_EVENT_TYPE_ENABLE_NGG_PIPELINE] = EVENT_HINT,    /* each draw's registers say which pipeline it takes */
    [AMD_EVENT_TYPE_ENABLE_LEGACY_PIPELINE] = EVENT_HINT, /* the same */
    [AMD_EVENT_TYPE_OFFCHIP_HS_DEALLOC] = EVENT_HINT,
    [AMD_EVENT_TYPE_SQ_NON_EVENT] = EVENT_HINT,
    [AMD_EVENT_TYPE_PERFCOUNTER_SAMPLE] = EVENT_HINT, /* a count can be read at any time */
    [AMD_EVENT_TYPE_THREAD_TRACE_START] = EVENT_HINT, /* a trace records, it changes nothing */
    [AMD_EVENT_TYPE_THREAD_TRACE_STOP] = EVENT_HINT,
    [AMD_EVENT_TYPE_THREAD_TRACE_MARKER] = EVENT_HINT,
    [AMD_EVENT_TYPE_THREAD_TRACE_DRAW] = EVENT_HINT,
    [AMD_EVENT_TYPE_THREAD_TRACE_FINISH] = EVENT_HINT,

    [AMD_EVENT_TYPE_SAMPLE_STREAMOUTSTATS] = EVENT_STREAMOUT_SAMPLE,
    [AMD_EVENT_TYPE_SAMPLE_STREAMOUTSTATS1] = EVENT_STREAMOUT_SAMPLE,
    [AMD_EVENT_TYPE_SAMPLE_STREAMOUTSTATS2] = EVENT_STREAMOUT_SAMPLE,
    [AMD_EVENT_TYPE_SAMPLE_STREAMOUTSTATS3] = EVENT_STREAMOUT_SAMPLE,
    [AMD_EVENT_TYPE_VGT_STREAMOUT_SYNC] = EVENT_STREAMOUT,
    [AMD_EVENT_TYPE_VGT_STREAMOUT_RESET] = EVENT_STREAMOUT,
    [AMD_EVENT_TYPE_SO_VGTSTREAMOUT_FLUSH] = EVENT_STREAMOUT_FLUSH,

    [AMD_EVENT_TYPE_ZPASS_DONE] = EVENT_ZPASS,
    [AMD_EVENT_TYPE_PERFCOUNTER_START] = EVENT_PERF_ON,
    [AMD_EVENT_TYPE_PERFCOUNTER_STOP] = EVENT_PERF_OFF,
    [AMD_EVENT_TYPE_PIPELINESTAT_START] = EVENT_STATS_ON,
    [AMD_EVENT_TYPE_PIPELINESTAT_STOP] = EVENT_STATS_OFF,
    [AMD_EVENT_TYPE_SAMPLE_PIPELINESTAT] = EVENT_STATS_SAMPLE,
};

static bool do_event(struct cp_machine *m, const struct amd_pkt_EVENT_WRITE *packet)
{
    const struct amd_pkt_EVENT_WRITE p = *packet;
    enum event_class class = (enum event_class)event_classes[p.EVENT_TYPE];
    bool dumps = class == EVENT_ZPASS || class == EVENT_STATS_SAMPLE || class == EVENT_STREAMOUT_SAMPLE;
    unsigned stream = p.EVENT_TYPE <= AMD_EVENT_TYPE_SAMPLE_STREAMOUTSTATS3 ? p.EVENT_TYPE : 0;
    if (dumps && m->length_dw < 4)
        return amd_cp_broken(m, "event %u without an address", p.EVENT_TYPE);
    switch (class) {
    case EVENT_ORDER:
    case EVENT_HINT:
        return true;
    case EVENT_ZPASS:
        return write_zpass(m, p.ADDR & ~7ull);
    case EVENT_STATS_ON:
        m->counters.stats_on = true;
        return true;
    case EVENT_STATS_OFF:
        m->counters.stats_on = false;
        return true;
    case EVENT_PERF_ON:
    case EVENT_PERF_OFF:
        m->perf.is_graphics_window = class == EVENT_PERF_ON;
        return true;
    case EVENT_STATS_SAMPLE:
        return write_pipeline_stats(m, p.ADDR & ~7ull);
    case EVENT_STREAMOUT_FLUSH: /* how far buffers are filled is known at once */
        return amd_cp_write_register(m, AMD_REG_CP_STRMOUT_CNTL, 1);
    case EVENT_STREAMOUT_SAMPLE:
        return write_stream_stats(m, p.ADDR & ~7ull, stream);
    case EVENT_STREAMOUT:
        return amd_cp_stop(m, "event %u: stream out by other events is not modelled", p.EVENT_TYPE);
    default:
        return amd_cp_stop(m, "event %u is not modelled", p.EVENT_TYPE);
    }
}

bool amd_cp_event_write(struct cp_machine *m)
{
    struct amd_pkt_EVENT_WRITE p;
    if (!CP_UNPACK(m, EVENT_WRITE, &p))
        return false;
    if (m->actor)
        amd_cp_coherence_event(m, p.EVENT_TYPE);
    const bool ok = do_event(m, &p);
    if (m->actor)
        amd_cp_coherence_end_event(m);
    return ok;
}

/* ---- end of pipe, caches ---- */

static bool do_release(struct cp_machine *m, const struct amd_pkt_RELEASE_MEM *packet)
{
    const struct amd_pkt_RELEASE_MEM p = *packet;
    if (event_classes[p.EVENT_TYPE] != EVENT_ORDER)
        return amd_cp_stop(m, "an end-of-pipe write at event %u", p.EVENT_TYPE);
    if (p.DST_SEL == AMD_RELEASE_DST_REG)
        return amd_cp_stop(m, "an end-of-pipe write to a register");
    /* INT_SEL: interrupts go to the kernel, which learns of a job's end in its own way. */
    switch (p.DATA_SEL) {
    case AMD_RELEASE_DATA_NONE:
        return true;
    case AMD_RELEASE_DATA_32_BITS:
        return amd_cp_store(m, p.ADDR & ~3ull, 4, (uint32_t)p.DATA);
    case AMD_RELEASE_DATA_64_BITS:
        return amd_cp_store(m, p.ADDR & ~7ull, 8, p.DATA);
    case AMD_RELEASE_DATA_GPU_CLOCK:
    case AMD_RELEASE_DATA_SYSTEM_CLOCK:
        return amd_cp_store(m, p.ADDR & ~7ull, 8, amd_cp_timestamp(m->device->chip));
    case AMD_RELEASE_DATA_GDS:
        /* dwords: the first one in the low half, how many in the high */
        return amd_cp_gds_copy_out(m, p.ADDR & ~3ull, 4 * (p.DATA & 0xffff), 4 * (p.DATA >> 16 & 0xffff));
    default:
        return amd_cp_broken(m, "an end-of-pipe write of kind %u", p.DATA_SEL);
    }
}

bool amd_cp_release_mem(struct cp_machine *m)
{
    struct amd_pkt_RELEASE_MEM p;
    if (!CP_UNPACK(m, RELEASE_MEM, &p))
        return false;
    if (m->actor) {
        amd_cp_coherence_event(m, p.EVENT_TYPE);
        amd_cp_coherence_caches(m, &(const struct cp_caches){.glm_wb = p.GLM_WB,
                                                             .glm_inv = p.GLM_INV,
                                                             .gl2_wb = p.GL2_WB,
                                                             .gl2_inv = p.GL2_INV,
                                                             .gl1_inv = p.GL1_INV,
                                                             .glv_inv = p.GLV_INV});
    }
    const bool ok = do_release(m, &p);
    if (m->actor)
        amd_cp_coherence_end_event(m);
    return ok;
}

#define COHER_SH_ICACHE_ACTION (1u << 29) /* GFX9's way to say GLI_INV */

bool amd_cp_acquire_mem(struct cp_machine *m)
{
    struct amd_pkt_ACQUIRE_MEM p;
    if (!CP_UNPACK(m, ACQUIRE_MEM, &p))
        return false;
    /* Memory is coherent; decoded programs are the one thing that is kept. */
    if (m->gfx == AMD_GFX9 ? p.COHER_CNTL & COHER_SH_ICACHE_ACTION : p.GLI_INV != AMD_GCR_GLI_INV_NOP)
        amd_spi_invalidate_code(m->device->spi);
    if (m->actor) {
        amd_cp_coherence_caches(m, &(const struct cp_caches){.glm_wb = p.GLM_WB,
                                                             .glm_inv = p.GLM_INV,
                                                             .gl2_wb = p.GL2_WB,
                                                             .gl2_inv = p.GL2_INV,
                                                             .gl1_inv = p.GL1_INV,
                                                             .glv_inv = p.GLV_INV,
                                                             .glk_inv = p.GLK_INV,
                                                             .gli_inv = p.GLI_INV != AMD_GCR_GLI_INV_NOP});
        amd_cp_coherence_sync_front(m); /* which waits for cache operations by itself */
    }
    return true;
}
