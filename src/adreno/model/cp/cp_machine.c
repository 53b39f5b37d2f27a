/* Fetch and control flow of the command processor: buffers, calls and chains, conditions, and the choice of a packet's
 * handler. What packets do is in the other files of this folder. */
#include "adreno/model/cp/cp_machine.h"

#include <stdlib.h>
#include <string.h>

#include "util/bits.h"
#include "util/debug.h"

/* Calls and chains up to here count as progress. A buffer that chains to itself runs for ever; the watchdog must see
 * that. */
#define JUMPS_THAT_COUNT (1u << 16)

/* ---- life ---- */

static cp_handler find_handler(const struct hw_packet *packet)
{
    static const struct {
        const char *name;
        cp_handler handler;
    } handlers[] = {
#define ROW(packet, handler) {#packet, handler},
        CP_HANDLERS(ROW)
#undef ROW
    };
    for (unsigned i = 0; i < ARRAY_SIZE(handlers); i++) {
        if (strcmp(handlers[i].name, hw_name(packet)) == 0)
            return handlers[i].handler;
    }
    return NULL;
}

static void prepare_packets(struct adreno_cp *m)
{
    for (unsigned i = 0; i < adreno_packet_count; i++) {
        const struct hw_packet *packet = &adreno_packets[i];
        struct cp_packet_rule *rule = &m->packets[packet->opcode[ADRENO_A6XX] & 0x7f];
        rule->packet = packet;
        rule->handler = packet->policy == HW_POLICY_IGNORED ? adreno_cp_nop : find_handler(packet);
        for (unsigned f = 0; f < packet->field_count; f++)
            rule->has_stop_fields |= hw_fields(packet)[f].policy == HW_POLICY_STOP;
    }
}

bool adreno_cp_create(struct adreno_gpu *gpu)
{
    struct adreno_cp *m = calloc(1, sizeof(*m));
    if (!m)
        return false;
    m->gpu = gpu;
    m->strict.is_on = debug_enabled(DEBUG_STRICT);
    gpu->cp = m;
    prepare_packets(m);
    return adreno_cp_prepare_registers(m);
}

void adreno_cp_destroy(struct adreno_gpu *gpu)
{
    if (!gpu->cp)
        return;
    strbuf_finish(&gpu->cp->report);
    free(gpu->cp->conditional);
    free(gpu->cp);
    gpu->cp = NULL;
}

void adreno_cp_reset(struct adreno_gpu *gpu)
{
    struct adreno_cp *m = gpu->cp;
    m->groups_enabled = m->groups_dirty = 0;
    m->pass = ADRENO_PASS_SYSMEM;
    m->ignores_visibility = true;
    m->has_bin = false;
    m->predicates = 0;
    m->draw_predicate_global = false;
    m->draw_predicate_local = true;
    m->draw_predicate_passes = true;
    memset(m->scratch, 0, sizeof(m->scratch));
}

/* ---- buffers ---- */

static struct cp_buffer *innermost(struct adreno_cp *m)
{
    return &m->stack[m->depth - 1];
}

bool adreno_cp_nop(struct adreno_cp *m)
{
    return true;
}

bool adreno_cp_indirect_buffer(struct adreno_cp *m)
{
    struct adreno_pkt_CP_INDIRECT_BUFFER p;
    if (!CP_UNPACK(m, CP_INDIRECT_BUFFER, &p))
        return false;
    if (innermost(m)->is_group)
        return CP_BROKEN(m, "a call from a group of draw state");
    if (m->depth >= CP_MAX_LEVEL)
        return CP_BROKEN(m, "a call from a buffer of level %u; there is no deeper one", m->depth);
    m->jumps++;
    m->stack[m->depth++] = (struct cp_buffer){.va = p.IB_BASE & ~3ull, .size_dw = p.IB_SIZE};
    return true;
}

bool adreno_cp_indirect_buffer_chain(struct adreno_cp *m)
{
    struct adreno_pkt_CP_INDIRECT_BUFFER_CHAIN p;
    if (!CP_UNPACK(m, CP_INDIRECT_BUFFER_CHAIN, &p))
        return false;
    struct cp_buffer *buffer = innermost(m);
    if (buffer->is_group)
        return CP_BROKEN(m, "a chain from a group of draw state");
    if (buffer->at_dw != buffer->size_dw)
        return CP_BROKEN(m, "a chain that is not the last packet of its buffer: %u dwords follow",
                         buffer->size_dw - buffer->at_dw);
    m->jumps++;
    *buffer = (struct cp_buffer){.va = p.IB_BASE & ~3ull, .size_dw = p.IB_SIZE};
    return true;
}

/* ---- conditions ---- */

/* Skip dwords of the innermost buffer. */
static bool adreno_cp_skip(struct adreno_cp *m, uint32_t count_dw)
{
    struct cp_buffer *buffer = innermost(m);
    uint32_t left_dw = buffer->size_dw - buffer->at_dw;
    if (count_dw > left_dw)
        return CP_BROKEN(m, "%u conditional dwords, but the buffer has only %u more", count_dw, left_dw);
    buffer->at_dw += count_dw;
    return true;
}

/* The next dwords run if the first value is not zero and the second below the reference. */
bool adreno_cp_cond_exec(struct adreno_cp *m)
{
    struct adreno_pkt_CP_COND_EXEC p;
    uint64_t is_active, timestamp;
    if (!CP_UNPACK(m, CP_COND_EXEC, &p) || !adreno_cp_load(m, p.BOOL_ADDR, 4, &is_active) ||
        !adreno_cp_load(m, p.TIMESTAMP_ADDR, 4, &timestamp))
        return false;
    bool runs = is_active && (int32_t)timestamp < (int32_t)p.ACTIVE_TIMESTAMP;
    return runs || adreno_cp_skip(m, p.DWORDS);
}

bool adreno_cp_cond_reg_exec(struct adreno_cp *m)
{
    struct adreno_pkt_CP_COND_REG_EXEC p;
    uint32_t a, b;
    if (!CP_UNPACK(m, CP_COND_REG_EXEC, &p))
        return false;
    switch (p.MODE) {
    case ADRENO_COMPARE_MODE_PRED_TEST:
        return m->predicates >> p.PRED_BIT & 1 ? true : adreno_cp_skip(m, p.DWORDS);
    case ADRENO_COMPARE_MODE_RENDER_MODE:
        return (m->pass == ADRENO_PASS_BINNING ? p.BINNING
                : m->pass == ADRENO_PASS_GMEM  ? p.GMEM
                                               : p.SYSMEM) ||
               adreno_cp_skip(m, p.DWORDS);
    case ADRENO_COMPARE_MODE_REG_COMPARE:
        if (m->length_dw < 4)
            return CP_BROKEN(m, "a comparison of registers has four dwords");
        return adreno_cp_read_register(m, p.REG0, &a) && adreno_cp_read_register(m, p.REG1, &b) &&
               (a == b || adreno_cp_skip(m, p.COMPARE_DWORDS));
    default:
        return CP_STOP(m, "a condition of kind %u", p.MODE);
    }
}

bool adreno_cp_reg_test(struct adreno_cp *m)
{
    struct adreno_pkt_CP_REG_TEST p;
    uint32_t value;
    if (!CP_UNPACK(m, CP_REG_TEST, &p))
        return false;
    if (p.PRED_UPDATE) {
        if (!m->gpu->chip->has_pred_bit)
            return CP_BROKEN(m, "this chip has one predicate and no way to set it directly");
        if (m->length_dw < 4)
            return CP_BROKEN(m, "a direct write of predicates has four dwords");
        m->predicates = (m->predicates & ~p.PRED_MASK) | (p.PRED_VAL & p.PRED_MASK);
        return true;
    }
    if (!adreno_cp_read_register(m, p.REG, &value))
        return false;
    uint32_t mask = 1u << p.PRED_BIT;
    m->predicates = (m->predicates & ~mask) | (value >> p.BIT & 1 ? mask : 0);
    return true;
}

/* ---- the loop ---- */

static uint64_t read_words(const struct adreno_cp *m, uint64_t va, uint32_t *words, uint32_t count)
{
    const struct gpu_space *space = m->gpu->space;
    const void *host = 4ull * count <= GPU_PAGE_SIZE_B ? gpu_space_pointer(space, va, 4 * count, GPU_PERM_READ) : NULL;
    if (!host)
        return gpu_space_read(space, va, words, 4ull * count);
    memcpy(words, host, 4ull * count);
    return 4ull * count;
}

/* The next packet of the innermost buffer into m->dw: a copy, for the host may write while it is looked at. */
static bool fetch_packet(struct adreno_cp *m)
{
    struct cp_buffer *buffer = innermost(m);
    uint64_t va = buffer->va + 4ull * buffer->at_dw;
    uint32_t left_dw = buffer->size_dw - buffer->at_dw;
    if (read_words(m, va, m->dw, 1) != 4)
        return adreno_fault(m->gpu, "fetch of a stream", va, 4, false);
    uint32_t header = m->dw[0];
    if (adreno_is_pkt4(header))
        m->length_dw = 1 + ADRENO_PKT4_COUNT(header);
    else if (adreno_is_pkt7(header))
        m->length_dw = 1 + ADRENO_PKT7_COUNT(header);
    else
        return CP_BROKEN(m, "0x%08x is no header of a packet: its type or its parity is wrong", header);
    if (m->length_dw > left_dw)
        return CP_BROKEN(m, "a packet of %u dwords, but the buffer has only %u more", m->length_dw, left_dw);
    uint64_t rest_B = 4ull * (m->length_dw - 1);
    uint64_t got_B = rest_B ? read_words(m, va + 4, m->dw + 1, m->length_dw - 1) : 0;
    if (got_B != rest_B)
        return adreno_fault(m->gpu, "fetch of a stream", va + 4 + got_B, 4, false);
    buffer->at_dw += m->length_dw;
    return true;
}

static bool execute_pkt7(struct adreno_cp *m)
{
    unsigned opcode = ADRENO_PKT7_OPCODE(m->dw[0]);
    const struct cp_packet_rule *rule = &m->packets[opcode];
    const struct hw_packet *packet = rule->packet;
    if (!packet)
        return CP_STOP(m, "opcode 0x%02x is not in the tables", opcode);
    if (packet->policy == HW_POLICY_STOP)
        return CP_STOP(m, "%s: %s", hw_name(packet), hw_reason(packet) ? hw_reason(packet) : "not modelled");
    if (m->length_dw < packet->min_dw[ADRENO_A6XX] && packet->tail != HW_TAIL_ANY)
        return CP_BROKEN(m, "%s has %u dwords and needs %u", hw_name(packet), m->length_dw, packet->min_dw[ADRENO_A6XX]);
    if (m->length_dw > packet->length_dw[ADRENO_A6XX] && packet->tail == HW_TAIL_NONE)
        return CP_BROKEN(m, "%s has %u dwords and takes %u", hw_name(packet), m->length_dw,
                         packet->length_dw[ADRENO_A6XX]);
    if (rule->has_stop_fields) {
        const struct hw_field *field = hw_packet_stop_field(packet, ADRENO_A6XX, m->dw, m->length_dw);
        if (field)
            return CP_STOP(m, "%s.%s: %s", hw_name(packet), hw_name(field), hw_reason(field) ? hw_reason(field) : "not modelled");
    }
    if (!rule->handler)
        return CP_STOP(m, "%s has no handler", hw_name(packet));
    return rule->handler(m);
}

static bool execute_packet(struct adreno_cp *m)
{
    if (ADRENO_PKT_TYPE(m->dw[0]) == 4)
        return adreno_cp_write_registers(m, ADRENO_PKT4_REG(m->dw[0]), m->dw + 1, m->length_dw - 1);
    return execute_pkt7(m);
}

/* The 2D engine may keep rows, and draws may wait, until something else comes. */
static bool finish_series(struct adreno_cp *m)
{
    struct adreno_gpu *gpu = m->gpu;
    if (ADRENO_PKT_TYPE(m->dw[0]) == 4)
        return true;
    const cp_handler handler = m->packets[ADRENO_PKT7_OPCODE(m->dw[0])].handler;
    if (gpu->a2d_series.size_B && handler != adreno_cp_blit && !adreno_rb_2d_finish(gpu))
        return false;
    return !gpu->has_series || handler == adreno_cp_set_draw_state || handler == adreno_cp_draw_indx_offset ||
           adreno_draws_finish(gpu);
}

/* Run until the buffers above `depth` have ended. */
static bool run_to_depth(struct adreno_cp *m, uint32_t depth)
{
    while (m->depth > depth) {
        struct cp_buffer *buffer = innermost(m);
        if (buffer->at_dw == buffer->size_dw) {
            m->depth--;
            continue;
        }
        m->packet_at_dw = buffer->at_dw;
        if (adreno_is_killed(m->gpu))
            return CP_KILLED(m);
        if (!fetch_packet(m))
            return false;
        if (__builtin_expect(m->gpu->coherence != NULL, 0))
            adreno_cp_coherence_packet(m);
        if (!finish_series(m) || !execute_packet(m) || adreno_is_stopped(m->gpu))
            return false;
        if (m->jumps < JUMPS_THAT_COUNT)
            adreno_progress(m->gpu);
    }
    return true;
}

bool adreno_cp_run_group(struct adreno_cp *m, const struct cp_group *group)
{
    uint32_t at_dw = m->packet_at_dw, depth = m->depth;
    if (innermost(m)->is_group)
        return CP_BROKEN(m, "a group of draw state in another");
    m->stack[m->depth++] = (struct cp_buffer){.va = group->va, .size_dw = group->size_dw, .is_group = true};
    if (!run_to_depth(m, depth))
        return false;
    m->packet_at_dw = at_dw;
    if (m->gpu->coherence)
        adreno_cp_coherence_packet(m);
    return true;
}

bool adreno_cp_run(struct adreno_gpu *gpu, const struct adreno_work *work)
{
    struct adreno_cp *m = gpu->cp;
    m->work = work;
    m->strict = (struct cp_strict){.is_on = m->strict.is_on};
    m->jumps = 0;
    m->depth = 0;
    bool ok = true;
    if (gpu->coherence)
        adreno_cp_coherence_begin(m);
    adreno_hlsq_invalidate_code(gpu); /* between jobs the host may have written programs */
    for (m->ib = 0; ok && m->ib < work->ib_count; m->ib++) {
        const struct adreno_ib *ib = &work->ibs[m->ib];
        m->stack[m->depth++] = (struct cp_buffer){.va = ib->va, .size_dw = ib->size_dw};
        ok = run_to_depth(m, 0) && adreno_rb_2d_finish(gpu) && adreno_draws_finish(gpu);
        if (!ok) {
            if (!adreno_is_stopped(gpu))
                CP_STOP(m, "a block has ended the job and does not say why");
            adreno_cp_describe_stop(m);
            adreno_rb_2d_finish(gpu); /* what came before */
            adreno_draws_finish(gpu);
        }
    }
    if (ok && gpu->coherence)
        ok = adreno_cp_coherence_end(m);
    m->work = NULL;
    return ok;
}
