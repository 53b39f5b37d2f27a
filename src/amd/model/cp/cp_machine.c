/* Fetch and control flow of the command processor: buffers, calls and chains, predication, and the choice of a packet's
 * handler. What packets do stands in the other cp_*.c. */
#include "amd/model/cp/cp_machine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "amd/model/spi/spi_compute.h"
#include "model/stat.h"
#include "util/bits.h"

/* Calls and chains up to here count as progress. A buffer that chains to itself runs for ever; the watchdog must see
 * that. */
#define JUMPS_THAT_COUNT (1u << 16)

#define IB_FLAG_EMIT_MEM_SYNC (1u << 6) /* AMDGPU_IB_FLAG_EMIT_MEM_SYNC: caches are invalidated before the buffer */

uint64_t amd_cp_timestamp(const struct amd_chip *chip)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    uint64_t per_second = chip->counter_freq_kHz * 1000ull;
    return (uint64_t)now.tv_sec * per_second + (uint64_t)now.tv_nsec * per_second / 1000000000;
}

cp_handler amd_cp_handler_find(const struct hw_packet *packet, enum cp_rings *rings_out)
{
    static const struct {
        const char *name;
        cp_handler handler;
        enum cp_rings rings;
    } handlers[] = {
#define ROW(packet, handler, rings) {#packet, handler, CP_RINGS_##rings},
        CP_HANDLERS(ROW)
#undef ROW
    };
    *rings_out = CP_RINGS_ANY;
    for (unsigned i = 0; i < ARRAY_SIZE(handlers); i++) {
        if (strcmp(handlers[i].name, hw_name(packet)) == 0) {
            *rings_out = handlers[i].rings;
            return handlers[i].handler;
        }
    }
    return NULL;
}

/* Packets that only set registers, and draws: neither looks at memory that pixels write, but for what shaders read,
 * which the stream has to order. */
static bool passes_draws(cp_handler handler)
{
    static const cp_handler handlers[] = {
        amd_cp_nop,
        amd_cp_pfp_sync_me,
        amd_cp_indirect_buffer,
        amd_cp_set_base,
        amd_cp_set_context_reg,
        amd_cp_set_sh_reg,
        amd_cp_set_uconfig_reg,
        amd_cp_context_reg_rmw,
        amd_cp_index_buffer_size,
        amd_cp_index_base,
        amd_cp_num_instances,
        amd_cp_draw_index_2,
        amd_cp_draw_index_auto,
        amd_cp_draw_index_offset_2,
    };
    for (unsigned i = 0; i < ARRAY_SIZE(handlers); i++) {
        if (handlers[i] == handler)
            return true;
    }
    return false;
}

static void prepare_packet(struct cp_packet_rule *rule, const struct hw_packet *packet)
{
    enum cp_rings rings;
    rule->packet = packet;
    rule->handler = amd_cp_handler_find(packet, &rings);
    rule->rings = rings;
    rule->passes_draws = passes_draws(rule->handler);
    rule->has_stop_fields = false;
    for (unsigned i = 0; i < packet->field_count; i++)
        rule->has_stop_fields |= hw_fields(packet)[i].policy == HW_POLICY_STOP;
}

void amd_cp_device_prepare(struct cp_device *device)
{
    enum amd_gfx gfx = device->chip->gfx;
    for (unsigned i = 0; i < amd_packet_count; i++) {
        if (amd_packets[i].opcode[gfx] < 0)
            continue;
        struct cp_packet_rule *rule = &device->packets[amd_packets[i].opcode[gfx]];
        rule->shares_opcode = rule->packet != NULL;
        if (!rule->packet)
            prepare_packet(rule, &amd_packets[i]);
    }
    amd_cp_prepare_registers(device);
}

void amd_cp_machine_reset(struct cp_machine *m)
{
    cp_reg_forget(&m->registers, true);
    memset(&m->counters, 0, sizeof(m->counters));
    memset(&m->perf, 0, sizeof(m->perf));
    m->context = NULL;
    m->indirect_base_va = 0;
    m->index_base_va = 0;
    m->index_buffer_size = 0;
    m->atomic_return = 0;
    /* Registers that the kernel has set up and any job may read. */
    const struct amd_chip *chip = m->device->chip;
    for (uint32_t i = 0; i < chip->mmr_count; i++) {
        if (cp_reg_index(chip->mmrs[i].offset_dw * 4) < CP_REG_COUNT && chip->mmrs[i].instance == UINT32_MAX)
            cp_reg_set(&m->registers, chip->mmrs[i].offset_dw * 4, chip->mmrs[i].value);
    }
}

/* ---- buffers ---- */

/* A call or chain. */
static bool amd_cp_enter_buffer(struct cp_machine *m, uint64_t va, uint32_t size_dw, bool chain)
{
    if (!chain) {
        uint32_t most = m->ring_kind == AMD_RING_GFX ? CP_MAX_DEPTH : 1;
        if (m->depth >= most)
            return amd_cp_broken(m, "a call from a buffer of level %u; %s has no deeper one", m->depth,
                                 m->ring_kind == AMD_RING_GFX ? "the graphics ring" : "a compute ring");
        m->depth++;
    }
    m->jumps++;
    m->stack[m->depth - 1] = (struct cp_buffer){.va = va, .size_dw = size_dw};
    return true;
}

bool amd_cp_indirect_buffer(struct cp_machine *m)
{
    struct amd_pkt_INDIRECT_BUFFER p;
    if (!CP_UNPACK(m, INDIRECT_BUFFER, &p))
        return false;
    if (p.IB_SIZE == 0)
        return amd_cp_broken(m, "a buffer of no dwords, at which the hardware hangs");
    return amd_cp_enter_buffer(m, (uint64_t)bits_sign_extend(p.IB_BASE & ~3ull, 48), p.IB_SIZE, p.CHAIN);
}

bool amd_cp_nop(struct cp_machine *m)
{
    return true;
}

bool amd_cp_pfp_sync_me(struct cp_machine *m)
{
    if (m->actor)
        amd_cp_coherence_sync_front(m);
    return true;
}

/* ---- predication ---- */

bool amd_cp_cond_exec(struct cp_machine *m)
{
    struct amd_pkt_COND_EXEC p;
    uint64_t value;
    if (!CP_UNPACK(m, COND_EXEC, &p) || !amd_cp_load(m, p.ADDR & ~3ull, 4, &value))
        return false;
    struct cp_buffer *buffer = &m->stack[m->depth - 1];
    if (p.EXEC_COUNT > buffer->size_dw - buffer->at_dw)
        return amd_cp_broken(m, "%u conditional dwords, but the buffer has only %u more", p.EXEC_COUNT,
                             buffer->size_dw - buffer->at_dw);
    if (!value)
        buffer->at_dw += p.EXEC_COUNT;
    return true;
}

/* An occlusion result: pairs of counts before and after, one pair per render backend, each with its "written" bit. */
static bool read_zpass(struct cp_machine *m, uint64_t va, bool wait, bool *visible_out)
{
    const struct amd_chip *chip = m->device->chip;
    *visible_out = false;
    bits_foreach (chip->rb_enabled_mask, rb) {
        uint64_t count[2];
        for (unsigned i = 0; i < 2; i++) {
            if (!amd_cp_load(m, va + rb * 16 + i * 8, 8, &count[i]))
                return false;
            if (!(count[i] >> 63)) {
                /* The writer ran before on this ring, or will never run: nothing to wait for. */
                *visible_out = !wait || *visible_out;
                count[i] = i ? count[0] : 0;
            }
        }
        *visible_out |= (count[0] & INT64_MAX) != (count[1] & INT64_MAX);
    }
    return true;
}

bool amd_cp_set_predication(struct cp_machine *m)
{
    struct amd_pkt_SET_PREDICATION p;
    if (!CP_UNPACK(m, SET_PREDICATION, &p))
        return false;
    uint64_t value;
    bool visible;
    if (m->actor)
        amd_cp_coherence_front(m);
    switch (p.PRED_OP) {
    case AMD_PREDICATE_OP_CLEAR:
        m->predicate_active = false;
        return true;
    case AMD_PREDICATE_OP_BOOL64:
    case AMD_PREDICATE_OP_BOOL32:
        if (!amd_cp_load(m, p.ADDR, p.PRED_OP == AMD_PREDICATE_OP_BOOL64 ? 8 : 4, &value))
            return false;
        visible = value != 0;
        break;
    case AMD_PREDICATE_OP_ZPASS:
        if (!read_zpass(m, p.ADDR & ~15ull, p.HINT == AMD_PREDICATE_HINT_WAIT, &visible))
            return false;
        break;
    default:
        return amd_cp_stop(m, "predication by operation %u: counts of stream out are not modelled", p.PRED_OP);
    }
    bool runs = visible == (p.PRED_BOOL == AMD_PREDICATE_BOOL_DRAW_IF_VISIBLE);
    /* CONTINUE: one of several results; visible in any of them is visible. */
    if (p.CONTINUE && m->predicate_active && p.PRED_BOOL == AMD_PREDICATE_BOOL_DRAW_IF_VISIBLE)
        runs |= !m->predicate_skips;
    else if (p.CONTINUE && m->predicate_active)
        runs &= !m->predicate_skips;
    m->predicate_active = true;
    m->predicate_skips = !runs;
    return true;
}

/* ---- the loop ---- */

static uint64_t read_words(const struct cp_machine *m, uint64_t va, uint32_t *words, uint32_t count)
{
    const void *host =
        4ull * count <= GPU_PAGE_SIZE_B ? gpu_space_pointer(m->space, va, 4 * count, GPU_PERM_READ) : NULL;
    if (!host)
        return gpu_space_read(m->space, va, words, 4ull * count);
    memcpy(words, host, 4ull * count);
    return 4ull * count;
}

/* The next packet of the innermost buffer into m->dw: a copy, for the host may write while it is looked at. */
static bool fetch_packet(struct cp_machine *m)
{
    struct cp_buffer *buffer = &m->stack[m->depth - 1];
    uint64_t va = buffer->va + 4ull * buffer->at_dw;
    m->length_dw = 1;
    if (read_words(m, va, m->dw, 1) != 4)
        return amd_cp_fault(m, va, 4, false);
    uint32_t type = AMD_PKT_TYPE(m->dw[0]), left_dw = buffer->size_dw - buffer->at_dw;
    if (type < 2)
        return amd_cp_broken(m, "0x%08x is no header of a packet: type %u", m->dw[0], type);
    if (type == 3 && m->dw[0] >> 16 != AMD_PKT3_NOP_FILLER >> 16)
        m->length_dw = AMD_PKT_COUNT(m->dw[0]) + 2;
    if (m->length_dw > left_dw)
        return amd_cp_broken(m, "a packet of %u dwords, but the buffer has only %u more", m->length_dw, left_dw);
    uint64_t rest_B = 4ull * (m->length_dw - 1);
    uint64_t got_B = rest_B ? read_words(m, va + 4, m->dw + 1, m->length_dw - 1) : 0;
    if (got_B != rest_B)
        return amd_cp_fault(m, va + 4 + got_B, 4, false);
    buffer->at_dw += m->length_dw;
    return true;
}

static bool execute_packet(struct cp_machine *m)
{
    if (AMD_PKT_TYPE(m->dw[0]) == 2)
        return true;
    if (m->predicate_active && m->predicate_skips && AMD_PKT3_PREDICATE(m->dw[0]))
        return true;
    unsigned opcode = AMD_PKT3_OPCODE(m->dw[0]);
    const struct cp_packet_rule *rule = &m->device->packets[opcode];
    struct cp_packet_rule other;
    if (rule->shares_opcode) {
        prepare_packet(&other, amd_packet_find(m->gfx, opcode, m->length_dw));
        rule = &other;
    }
    const struct hw_packet *packet = rule->packet;
    if (!packet)
        return amd_cp_stop(m, "opcode 0x%02x is not in the tables", opcode);
    if (packet->policy == HW_POLICY_STOP)
        return amd_cp_stop(m, "%s: %s", hw_name(packet), hw_reason(packet) ? hw_reason(packet) : "not modelled");
    if (packet->tail != HW_TAIL_ANY && m->length_dw < packet->min_dw[m->gfx])
        return amd_cp_broken(m, "%s has %u dwords and needs %u", hw_name(packet), m->length_dw, packet->min_dw[m->gfx]);
    if (packet->tail == HW_TAIL_NONE && m->length_dw > packet->length_dw[m->gfx])
        return amd_cp_broken(m, "%s has %u dwords and takes %u", hw_name(packet), m->length_dw, packet->length_dw[m->gfx]);
    if (rule->has_stop_fields) {
        const struct hw_field *field = hw_packet_stop_field(packet, m->gfx, m->dw, m->length_dw);
        if (field)
            return amd_cp_stop(m, "%s.%s: %s", hw_name(packet), hw_name(field),
                               hw_reason(field) ? hw_reason(field) : "not modelled");
    }
    if (!rule->handler)
        return amd_cp_stop(m, "%s has no handler", hw_name(packet));
    if (!(rule->rings >> m->ring_kind & 1))
        return amd_cp_broken(m, "%s: this ring's processor does not know that packet", hw_name(packet));
    if (m->has_draws && !rule->passes_draws && !amd_cp_finish_draws(m))
        return false;
    if (__builtin_expect(m->actor != NULL, 0))
        amd_cp_coherence_packet(m);
    return rule->handler(m);
}

static bool run_buffer(struct cp_machine *m, const struct amd_engine_ib *ib)
{
    m->depth = 0;
    if (ib->flags & IB_FLAG_EMIT_MEM_SYNC) {
        amd_spi_invalidate_code(m->device->spi);
        if (m->actor)
            amd_cp_coherence_mem_sync(m);
    }
    m->stack[m->depth++] = (struct cp_buffer){.va = ib->va, .size_dw = ib->size_dw};
    if (m->ring_kind == AMD_RING_SDMA)
        stat_enter(STAT_COPIES);
    while (m->depth) {
        if (m->stack[m->depth - 1].at_dw == m->stack[m->depth - 1].size_dw) {
            m->depth--;
            continue;
        }
        m->packet_at_dw = m->stack[m->depth - 1].at_dw;
        if (cp_is_killed(m))
            return amd_cp_killed(m);
        if (m->ring_kind == AMD_RING_SDMA ? !amd_sdma_step(m) : !fetch_packet(m) || !execute_packet(m))
            return false;
        if (__builtin_expect(m->incoherence.text != NULL, 0))
            return amd_cp_incoherent(m);
        if (m->jumps < JUMPS_THAT_COUNT)
            cp_progress(m);
    }
    return !m->has_draws || amd_cp_finish_draws(m);
}

int amd_cp_machine_run(struct cp_machine *m, struct drm_engine_job *job)
{
    m->job = job;
    m->work = amd_engine_work(job);
    m->space = job->space;
    m->jumps = 0;
    m->predicate_active = false;
    m->error.code = 0;
    strbuf_clear(&m->error.text);
    if (m->context != job->context) {
        cp_reg_forget(&m->registers, false);
        m->context = job->context;
    }
    bool ok = !m->device->coherence || amd_cp_coherence_begin(m);
    for (m->ib = 0; ok && m->ib < m->work->ib_count; m->ib++)
        ok = run_buffer(m, &m->work->ibs[m->ib]);
    if (!ok && m->has_draws)
        amd_cp_finish_draws(m); /* one of them may have failed before */
    m->ib = 0;
    if (m->actor)
        amd_cp_coherence_end(m, ok);
    if (!ok)
        amd_cp_machine_reset(m); /* as the kernel resets the GPU; the others' preambles set it up again */
    m->job = NULL;
    return m->error.code;
}
