/* Waits and events. Every packet's work is in memory when the packet ends, so what a flush waits for has always
 * happened, and the write after it is a write. What is real is the order with other devices and the host, which goes
 * through memory. */
#include "adreno/hw/regs_rb.h"
#include "adreno/hw/regs_vpc.h"
#include "adreno/model/coherence.h"
#include "adreno/model/cp/cp_machine.h"
#include "model/drm/drm_ring.h"
#include "util/bits.h"

/* ---- waits ---- */

bool adreno_cp_compare(struct adreno_cp *m, unsigned function, bool is_signed, uint32_t value, uint32_t reference,
                       bool *result_out)
{
    uint32_t flip = is_signed ? 1u << 31 : 0; /* signed order is unsigned order with the sign turned over */
    uint32_t a = value ^ flip, b = reference ^ flip;
    switch (function) {
    case ADRENO_COND_FUNCTION_ALWAYS:
        *result_out = true;
        return true;
    case ADRENO_COND_FUNCTION_LT:
        *result_out = a < b;
        return true;
    case ADRENO_COND_FUNCTION_LE:
        *result_out = a <= b;
        return true;
    case ADRENO_COND_FUNCTION_EQ:
        *result_out = a == b;
        return true;
    case ADRENO_COND_FUNCTION_NE:
        *result_out = a != b;
        return true;
    case ADRENO_COND_FUNCTION_GE:
        *result_out = a >= b;
        return true;
    case ADRENO_COND_FUNCTION_GT:
        *result_out = a > b;
        return true;
    default:
        return CP_BROKEN(m, "a comparison of kind %u", function);
    }
}

bool adreno_cp_poll(struct adreno_cp *m, unsigned source, uint64_t address, uint32_t *value_out)
{
    uint64_t value;
    switch (source) {
    case ADRENO_POLL_REGISTER:
        return adreno_cp_read_register(m, address & 0x3ffff, value_out);
    case ADRENO_POLL_MEMORY:
        m->reader = ADRENO_CLIENT_CP_POLL;
        if (!adreno_cp_load(m, address & ~3ull, 4, &value))
            return false;
        *value_out = (uint32_t)value;
        return true;
    case ADRENO_POLL_SCRATCH:
        *value_out = m->scratch[address % CP_SCRATCH_COUNT];
        return true;
    default:
        return CP_BROKEN(m, "a look at a place of kind %u", source);
    }
}

#define WAIT_SPINS 64
#define WAIT_LONGEST_US 500

/* Between two looks at what is waited for. */
static bool pause_wait(struct adreno_cp *m, uint32_t tries)
{
    if (adreno_is_killed(m->gpu))
        return CP_KILLED(m);
    drm_ring_pause(m->gpu->ring, m->gpu->job, tries < WAIT_SPINS ? 0 : MIN2(tries - WAIT_SPINS + 1, WAIT_LONGEST_US));
    return true;
}

bool adreno_cp_wait_reg_mem(struct adreno_cp *m)
{
    struct adreno_pkt_CP_WAIT_REG_MEM p;
    if (!CP_UNPACK(m, CP_WAIT_REG_MEM, &p))
        return false;
    if (p.WRITE_MEMORY)
        return CP_STOP(m, "a wait that writes memory");
    for (uint32_t tries = 0;; tries++) {
        uint32_t value;
        bool holds = false;
        if (!adreno_cp_poll(m, p.POLL, p.POLL_ADDR, &value) ||
            !adreno_cp_compare(m, p.FUNCTION, p.SIGNED_COMPARE, value & p.MASK, p.REF, &holds))
            return false;
        if (holds)
            return true;
        if (!pause_wait(m, tries))
            return false;
    }
}

bool adreno_cp_wait_mem_gte(struct adreno_cp *m)
{
    struct adreno_pkt_CP_WAIT_MEM_GTE p;
    if (!CP_UNPACK(m, CP_WAIT_MEM_GTE, &p))
        return false;
    m->reader = ADRENO_CLIENT_CP_POLL;
    for (uint32_t tries = 0;; tries++) {
        uint64_t value;
        if (!adreno_cp_load(m, p.POLL_ADDR & ~3ull, 4, &value))
            return false;
        if ((int32_t)value >= (int32_t)p.REF)
            return true;
        if (!pause_wait(m, tries))
            return false;
    }
}

/* Until the first is not zero or the second is not the reference. */
bool adreno_cp_wait_two_regs(struct adreno_cp *m)
{
    struct adreno_pkt_CP_WAIT_TWO_REGS p;
    if (!CP_UNPACK(m, CP_WAIT_TWO_REGS, &p))
        return false;
    for (uint32_t tries = 0;; tries++) {
        uint32_t first, second;
        if (!adreno_cp_read_register(m, p.REG0, &first) || !adreno_cp_read_register(m, p.REG1, &second))
            return false;
        if (first || second != p.REF)
            return true;
        if (!pause_wait(m, tries))
            return false;
    }
}

bool adreno_cp_wait_for_idle(struct adreno_cp *m)
{
    m->strict.is_busy = false;
    return adreno_cp_wait(m);
}

/* ---- events ---- */

enum event_class {
    EVENT_UNKNOWN, /* stop */
    EVENT_ORDER,   /* flushes, invalidates, the ends of stages: already so, see above */
    EVENT_INVALIDATE,
    EVENT_ZPASS,
    EVENT_STREAM_COUNTS,
    EVENT_STREAM_FLUSH,
    EVENT_SWITCH, /* of counters */
    EVENT_RESOLVE,
    EVENT_LRZ_CLEAR,
    EVENT_LRZ_FLUSH,
    EVENT_BINNING_START,
    EVENT_BINNING_END,
};

static const uint8_t event_classes[64] = {
    [ADRENO_EVENT_CACHE_FLUSH_TS] = EVENT_ORDER,
    [ADRENO_EVENT_CONTEXT_DONE] = EVENT_ORDER,
    [ADRENO_EVENT_WT_DONE_TS] = EVENT_ORDER,
    [ADRENO_EVENT_RB_DONE_TS] = EVENT_ORDER,
    [ADRENO_EVENT_PC_CCU_INVALIDATE_DEPTH] = EVENT_ORDER,
    [ADRENO_EVENT_PC_CCU_INVALIDATE_COLOR] = EVENT_ORDER,
    [ADRENO_EVENT_PC_CCU_RESOLVE_TS] = EVENT_ORDER,
    [ADRENO_EVENT_PC_CCU_FLUSH_DEPTH_TS] = EVENT_ORDER,
    [ADRENO_EVENT_PC_CCU_FLUSH_COLOR_TS] = EVENT_ORDER,
    [ADRENO_EVENT_CONTEXT_DONE_2D] = EVENT_ORDER,
    [ADRENO_EVENT_DEBUG_LABEL] = EVENT_ORDER,
    [ADRENO_EVENT_CACHE_INVALIDATE] = EVENT_INVALIDATE,

    [ADRENO_EVENT_ZPASS_DONE] = EVENT_ZPASS,
    [ADRENO_EVENT_WRITE_PRIMITIVE_COUNTS] = EVENT_STREAM_COUNTS,
    [ADRENO_EVENT_FLUSH_SO_0] = EVENT_STREAM_FLUSH,
    [ADRENO_EVENT_FLUSH_SO_1] = EVENT_STREAM_FLUSH,
    [ADRENO_EVENT_FLUSH_SO_2] = EVENT_STREAM_FLUSH,
    [ADRENO_EVENT_FLUSH_SO_3] = EVENT_STREAM_FLUSH,
    [ADRENO_EVENT_START_PRIMITIVE_CTRS] = EVENT_SWITCH,
    [ADRENO_EVENT_STOP_PRIMITIVE_CTRS] = EVENT_SWITCH,
    [ADRENO_EVENT_START_FRAGMENT_CTRS] = EVENT_SWITCH,
    [ADRENO_EVENT_STOP_FRAGMENT_CTRS] = EVENT_SWITCH,
    [ADRENO_EVENT_START_COMPUTE_CTRS] = EVENT_SWITCH,
    [ADRENO_EVENT_STOP_COMPUTE_CTRS] = EVENT_SWITCH,

    [ADRENO_EVENT_CCU_RESOLVE] = EVENT_RESOLVE,
    [ADRENO_EVENT_LRZ_CLEAR] = EVENT_LRZ_CLEAR,
    [ADRENO_EVENT_LRZ_FLUSH_INVALIDATE] = EVENT_LRZ_FLUSH,
    [ADRENO_EVENT_VSC_BINNING_START] = EVENT_BINNING_START,
    [ADRENO_EVENT_VSC_BINNING_END] = EVENT_BINNING_END,
};

/* The count of samples that passed so far. */
static bool write_samples(struct adreno_cp *m)
{
    const struct adreno_gpu *gpu = m->gpu;
    if (!ADRENO_GET(RB_SAMPLE_COUNTER_CNTL, COPY, gpu->regs[ADRENO_REG_RB_SAMPLE_COUNTER_CNTL]))
        return true;
    return adreno_cp_store(m, adreno_reg64(gpu, ADRENO_REG_RB_SAMPLE_COUNTER_BASE) & ~7ull, 8,
                           gpu->counters.samples_passed);
}

/* Of each stream the primitives that were written, and those that would have been with room for all. */
static bool write_stream_counts(struct adreno_cp *m)
{
    const struct adreno_counters *counters = &m->gpu->counters;
    uint64_t va = adreno_reg64(m->gpu, ADRENO_REG_VPC_SO_QUERY_BASE) & ~7ull;
    m->writer = ADRENO_CLIENT_COUNTS;
    for (unsigned i = 0; i < ADRENO_STREAMS; i++) {
        if (!adreno_cp_store(m, va + 16 * i, 8, counters->so_written[i]) ||
            !adreno_cp_store(m, va + 16 * i + 8, 8, counters->so_generated[i]))
            return false;
    }
    return true;
}

/* How far a buffer of stream out is filled, in dwords. */
static bool write_stream_offset(struct adreno_cp *m, unsigned buffer)
{
    uint64_t va = adreno_reg64(m->gpu, ADRENO_REG_VPC_SO_FLUSH_BASE + buffer * ADRENO_REG_VPC_SO_FLUSH_BASE_STRIDE);
    return adreno_cp_store(m, va & ~3ull, 4, m->gpu->counters.so_offset_B[buffer] / 4);
}

static void switch_counters(struct adreno_counters *counters, unsigned event)
{
    bool is_start = event % 2; /* START_* are odd, and each is followed by its STOP_* */
    if (event <= ADRENO_EVENT_STOP_PRIMITIVE_CTRS)
        counters->counts_primitives = is_start;
    else if (event <= ADRENO_EVENT_STOP_FRAGMENT_CTRS)
        counters->counts_fragments = is_start;
    else
        counters->counts_compute = is_start;
}

static bool run_event(struct adreno_cp *m, unsigned event)
{
    adreno_cp_strict_event(m, event);
    switch (event < ARRAY_SIZE(event_classes) ? (enum event_class)event_classes[event] : EVENT_UNKNOWN) {
    case EVENT_ORDER:
        return true;
    case EVENT_INVALIDATE: /* memory is coherent; decoded programs are the one thing that is kept */
        adreno_hlsq_invalidate_code(m->gpu);
        return true;
    case EVENT_ZPASS:
        return write_samples(m);
    case EVENT_STREAM_COUNTS:
        return write_stream_counts(m);
    case EVENT_STREAM_FLUSH:
        return write_stream_offset(m, event - ADRENO_EVENT_FLUSH_SO_0);
    case EVENT_SWITCH:
        switch_counters(&m->gpu->counters, event);
        return true;
    case EVENT_RESOLVE:
        return adreno_rb_blit_event(m->gpu);
    case EVENT_LRZ_CLEAR:
        return adreno_lrz_clear(m->gpu);
    case EVENT_LRZ_FLUSH:
        return adreno_lrz_flush(m->gpu);
    case EVENT_BINNING_START:
        return adreno_vsc_begin(m->gpu);
    case EVENT_BINNING_END:
        return adreno_vsc_end(m->gpu);
    case EVENT_UNKNOWN:
        break;
    }
    return CP_STOP(m, "event %u is not modelled", event);
}

bool adreno_cp_event_write(struct adreno_cp *m)
{
    struct adreno_pkt_CP_EVENT_WRITE p;
    if (!CP_UNPACK(m, CP_EVENT_WRITE, &p))
        return false;
    if (p.IRQ)
        return CP_BROKEN(m, "an interrupt, which only the kernel's stream may ask for");
    bool has_address = m->length_dw >= 4;
    m->writer = ADRENO_CLIENT_EVENT;
    if (!run_event(m, p.EVENT))
        return false;
    if (__builtin_expect(m->gpu->coherence != NULL, 0) && !adreno_cp_coherence_event(m, p.EVENT))
        return true;
    m->writer = ADRENO_CLIENT_EVENT;
    if (p.TIMESTAMP && !has_address)
        return CP_BROKEN(m, "a timestamp without an address");
    if (!has_address)
        return true;
    return p.TIMESTAMP ? adreno_cp_store(m, p.ADDR & ~3ull, 8, adreno_timestamp())
                       : adreno_cp_store(m, p.ADDR & ~3ull, 4, p.DATA);
}
