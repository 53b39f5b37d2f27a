/* Strict mode: results that are still on their way, and hazards.
 *
 * A load writes its registers at some time between its issue and the moment when its counter has been waited for;
 * nothing in between may look at them or write them. What a wait promises: instructions of one order finish in the
 * order of their issue, so one that has not finished holds up all later ones of its order; if that would be more than
 * the counter was waited down to, it has finished. Between orders, and among scalar loads, nothing is promised, which
 * leaves 0. */
#include "amd/model/sq/sq_strict_internal.h"
#include "util/bits.h"

static const char *counter_name(unsigned counters)
{
    return counters & ISA_COUNTER_VM     ? "vmcnt"
           : counters & ISA_COUNTER_LGKM ? "lgkmcnt"
           : counters & ISA_COUNTER_EXP  ? "expcnt"
                                         : "vscnt";
}

/* ---- the list ---- */

static uint8_t *busy(struct sq_strict *strict, unsigned file, unsigned index)
{
    return file == SQ_STRICT_VGPR ? &strict->busy_vgpr[index] : &strict->busy_sgpr[index];
}

static void mark_busy(struct sq_strict *strict, const struct sq_strict_pending *pending)
{
    if (!(pending->needed & pending->raised))
        return;
    for (unsigned i = 0; i < pending->range_count; i++) {
        const struct sq_strict_range *range = &pending->ranges[i];
        for (unsigned n = 0; n < range->count; n++) {
            uint8_t *at = busy(strict, range->file, range->first + n);
            *at = (uint8_t)(*at + (*at < UINT8_MAX));
        }
    }
}

/* Forget what has finished. */
static void sweep_finished(struct sq_strict *strict)
{
    uint32_t kept = 0;
    memset(strict->busy_vgpr, 0, sizeof(strict->busy_vgpr));
    memset(strict->busy_sgpr, 0, sizeof(strict->busy_sgpr));
    for (uint32_t i = 0; i < strict->pending_count; i++) {
        if (!strict->pending[i].raised)
            continue;
        if (kept != i)
            strict->pending[kept] = strict->pending[i];
        mark_busy(strict, &strict->pending[kept++]);
    }
    strict->pending_count = kept;
}

/* In lgkmcnt, a flat access stands for the part of it that may go to LDS. */
static unsigned order_in(const struct sq_strict_pending *pending, unsigned counter)
{
    bool is_flat = pending->order == SQ_STRICT_LOAD || pending->order == SQ_STRICT_STORE;
    return counter == ISA_COUNTER_LGKM && is_flat ? SQ_STRICT_LDS : pending->order;
}

static void wait_for(struct sq_strict *strict, unsigned counter, uint32_t limit)
{
    uint32_t later[SQ_STRICT_ORDERS] = {0};
    for (uint32_t i = strict->pending_count; i-- > 0;) {
        struct sq_strict_pending *pending = &strict->pending[i];
        if (!(pending->raised & counter))
            continue;
        unsigned order = order_in(pending, counter);
        if (limit <= later[order])
            pending->raised &= (uint8_t)~counter;
        if (order != SQ_STRICT_UNORDERED)
            later[order]++;
    }
}

static uint32_t wait_limit(const struct sq_wave *wave, const struct sq_strict_facts *facts)
{
    const struct isa_operand *s0 = &facts->inst->operands[0];
    uint32_t limit = facts->inst->operands[1].value;
    return s0->kind == ISA_OPERAND_SGPR ? limit + wave->sgpr[s0->value] : limit;
}

/* True where the instruction is a wait. */
static bool take_wait(struct sq_wave *wave, const struct sq_strict_facts *facts)
{
    struct sq_strict *strict = wave->strict;
    struct isa_waitcnt counts, max;
    switch (facts->inst->op) {
    case ISA_OP_S_WAITCNT:
        counts = amd_isa_waitcnt_unpack(ISA_GFX10_3, facts->inst->operands[0].value);
        max = amd_isa_waitcnt_max(ISA_GFX10_3);
        if (counts.vmcnt < max.vmcnt)
            wait_for(strict, ISA_COUNTER_VM, counts.vmcnt);
        if (counts.expcnt < max.expcnt)
            wait_for(strict, ISA_COUNTER_EXP, counts.expcnt);
        if (counts.lgkmcnt < max.lgkmcnt)
            wait_for(strict, ISA_COUNTER_LGKM, counts.lgkmcnt);
        break;
    case ISA_OP_S_WAITCNT_VSCNT:
        wait_for(strict, ISA_COUNTER_VS, wait_limit(wave, facts));
        break;
    case ISA_OP_S_WAITCNT_VMCNT:
        wait_for(strict, ISA_COUNTER_VM, wait_limit(wave, facts));
        break;
    case ISA_OP_S_WAITCNT_EXPCNT:
        wait_for(strict, ISA_COUNTER_EXP, wait_limit(wave, facts));
        break;
    case ISA_OP_S_WAITCNT_LGKMCNT:
        wait_for(strict, ISA_COUNTER_LGKM, wait_limit(wave, facts));
        break;
    case ISA_OP_S_WAIT_IDLE:
        strict->pending_count = 0;
        break;
    case ISA_OP_S_WAITCNT_DEPCTR:
        /* Most of it is about dependencies that GFX10.3's hardware keeps itself. VM_VSRC [4:2]: so many instructions of
         * memory and LDS may still have to read their VGPRs. */
        if (!(facts->inst->operands[0].value >> 2 & 7))
            strict->sent = strict->serial;
        return true;
    default:
        return false;
    }
    sweep_finished(strict);
    return true;
}

/* ---- issue ---- */

/* The counters that tell when this very instruction's registers are free. A flat access raises two; by its addresses,
 * lanes are served by one of both. */
static unsigned needed_counters(const struct sq_wave *wave, const struct sq_strict_facts *facts)
{
    unsigned counters = facts->counters;
    if (facts->image != SQ_STRICT_FLAT || !(counters & ISA_COUNTER_VM))
        return counters;
    const uint32_t *high = NULL;
    for (unsigned i = 0; i < facts->count; i++) {
        const struct sq_strict_access *access = &facts->accesses[i];
        if (access->sink == SQ_STRICT_ADDRESS && access->file == SQ_STRICT_VGPR)
            high = wave->vgpr + (access->first + 1u) * wave->lanes;
    }
    uint64_t exec = sq_exec(wave), in_lds = 0;
    for (unsigned lane = 0; lane < wave->lanes && high; lane++)
        in_lds |= (uint64_t)(high[lane] == wave->sgpr[SQ_SHARED_BASE + 1]) << lane;
    return (exec & in_lds ? ISA_COUNTER_LGKM : 0u) | (exec & ~in_lds ? ISA_COUNTER_VM : 0u);
}

static void push_pending(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts,
                         unsigned raised, unsigned needed, bool is_lock)
{
    struct sq_strict *strict = wave->strict;
    if (strict->pending_count == SQ_STRICT_PENDING) {
        /* More than the counters hold: the hardware would have stopped issuing until the oldest was done. */
        strict->pending[0].raised = 0;
        sweep_finished(strict);
    }
    struct sq_strict_pending *pending = &strict->pending[strict->pending_count++];
    *pending = (struct sq_strict_pending){
        .serial = strict->serial,
        .pc = sq_strict_pc(uop),
        .lanes = sq_exec(wave),
        .raised = (uint8_t)raised,
        .needed = (uint8_t)needed,
        .order = facts->order,
        .unit = facts->unit,
        .is_lock = is_lock,
    };
    for (unsigned i = 0; i < facts->count && pending->range_count < SQ_STRICT_RANGES; i++) {
        const struct sq_strict_access *access = &facts->accesses[i];
        if (is_lock ? access->is_locked : access->is_result)
            pending->ranges[pending->range_count++] =
                (struct sq_strict_range){access->first, access->count, access->file};
    }
    mark_busy(strict, pending);
}

/* LDS works in order, so that the oldest that has not finished says which have. The waves of one CU have one way to
 * LDS: what one of them has sent comes before whatever another sends after the barrier. Two CUs have a way each. */
static void come_to_barrier(struct sq_strict *strict)
{
    uint32_t finished = strict->serial;
    for (uint32_t i = strict->pending_count; i-- > 0;) {
        const struct sq_strict_pending *pending = &strict->pending[i];
        if ((pending->raised & ISA_COUNTER_LGKM) && pending->order == SQ_STRICT_LDS)
            finished = pending->serial - 1;
    }
    if (!strict->group->is_wgp_mode)
        finished = MAX2(finished, strict->sent);
    strict->finished[++strict->barriers % SQ_STRICT_BARRIERS] = finished;
}

void amd_sq_strict_issue(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts)
{
    struct sq_strict *strict = wave->strict;
    if (facts->inst->op == ISA_OP_S_BARRIER)
        come_to_barrier(strict);
    if (take_wait(wave, facts) || !facts->counters)
        return;
    strict->serial++;
    /* The registers that an instruction reads late, and those that it writes late, are free at different times. */
    if (facts->counters & ISA_COUNTER_EXP)
        push_pending(wave, uop, facts, ISA_COUNTER_EXP, ISA_COUNTER_EXP, true);
    unsigned raised = facts->counters & ~(unsigned)ISA_COUNTER_EXP;
    if (raised)
        push_pending(wave, uop, facts, raised, needed_counters(wave, facts) & raised, false);
}

/* ---- registers ---- */

static bool covers_register(const struct sq_strict_pending *pending, unsigned file, unsigned index)
{
    for (unsigned i = 0; i < pending->range_count; i++) {
        const struct sq_strict_range *range = &pending->ranges[i];
        if (range->file == file && index >= range->first && index < range->first + range->count)
            return true;
    }
    return false;
}

/* Two loads into one register are fine where their results come in order. */
static bool keeps_order(const struct sq_wave *wave, const struct sq_strict_facts *facts,
                        const struct sq_strict_pending *pending)
{
    return facts->order == pending->order && facts->unit == pending->unit && pending->order != SQ_STRICT_UNORDERED &&
           needed_counters(wave, facts) == pending->needed;
}

static void check_register(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts,
                           const struct sq_strict_access *access, unsigned index, uint64_t lanes)
{
    struct sq_strict *strict = wave->strict;
    for (uint32_t i = 0; i < strict->pending_count; i++) {
        const struct sq_strict_pending *pending = &strict->pending[i];
        unsigned open = pending->needed & pending->raised;
        if (!open || !covers_register(pending, access->file, index))
            continue;
        if (access->file == SQ_STRICT_VGPR && !(lanes & pending->lanes))
            continue;
        char name[16];
        amd_sq_strict_name(name, sizeof(name), access->file, index);
        if (pending->is_lock) {
            if (access->is_write || access->is_result)
                amd_sq_strict_fault(
                    wave, uop,
                    "%s is overwritten before the instruction at pc 0x%llx has read it: expcnt has not been waited for",
                    name, (unsigned long long)pending->pc);
        } else if (access->is_read) {
            amd_sq_strict_fault(wave, uop,
                                "%s is read before the load at pc 0x%llx has written it: %s has not been waited for",
                                name, (unsigned long long)pending->pc, counter_name(open));
        } else if (access->is_write || (access->is_result && !keeps_order(wave, facts, pending))) {
            amd_sq_strict_fault(
                wave, uop, "%s is overwritten before the load at pc 0x%llx has written it: %s has not been waited for",
                name, (unsigned long long)pending->pc, counter_name(open));
        }
    }
}

void amd_sq_strict_check_pending(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts)
{
    struct sq_strict *strict = wave->strict;
    if (!strict->pending_count)
        return;
    for (unsigned i = 0; i < facts->count; i++) {
        const struct sq_strict_access *access = &facts->accesses[i];
        uint32_t first;
        uint64_t lanes;
        if (!amd_sq_strict_resolve(wave, facts, access, &first, &lanes))
            continue;
        for (unsigned n = 0; n < access->count; n++) {
            if (*busy(strict, access->file, first + n))
                check_register(wave, uop, facts, access, first + n, lanes);
        }
    }
}

/* ---- hazards ---- */

#define FP_ATOMIC_WAIT_STATES 3

void amd_sq_strict_check_hazards(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts)
{
    struct sq_strict *strict = wave->strict;
    if ((facts->hazards & ISA_HAZARD_DENORM_MODE) && strict->since_fp_atomic < FP_ATOMIC_WAIT_STATES)
        amd_sq_strict_fault(
            wave, uop,
            "s_denorm_mode %u wait states after an atomic on floats: it takes %u, or a vector instruction "
            "or a wait between",
            strict->since_fp_atomic, FP_ATOMIC_WAIT_STATES);
    if (facts->hazards & ISA_HAZARD_FP_ATOMIC)
        strict->since_fp_atomic = 0;
    else if (facts->hazards & ISA_HAZARD_FP_ATOMIC_END)
        strict->since_fp_atomic = FP_ATOMIC_WAIT_STATES;
    else if (strict->since_fp_atomic < FP_ATOMIC_WAIT_STATES)
        strict->since_fp_atomic += facts->wait_states;

    uint64_t exec = sq_exec(wave);
    if ((facts->hazards & ISA_HAZARD_LONG_NSA) && strict->wrote_exec && !strict->exec_before && exec)
        amd_sq_strict_fault(
            wave, uop,
            "an image instruction of %u dwords directly after the scalar instruction that made exec not "
            "zero: one must stand between",
            facts->inst->size_dw);
    strict->wrote_exec = facts->hazards & ISA_HAZARD_EXEC_WRITE;
    strict->exec_before = exec;
}

/* ---- words of LDS that waves hand to each other ---- */

/* Whether the reader comes after a barrier that the writer came to with this write still on its way. Without a barrier
 * between them nothing is known: they may synchronise by other means. */
static bool was_left_behind(const struct sq_strict *reader, const struct sq_strict *writer,
                            const struct sq_strict_writer *write)
{
    bool is_known = write->barriers < reader->barriers && writer->barriers >= reader->barriers &&
                    writer->barriers - reader->barriers < SQ_STRICT_BARRIERS;
    return is_known && write->serial > writer->finished[reader->barriers % SQ_STRICT_BARRIERS];
}

static void touch_word(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts,
                       uint32_t at_B)
{
    struct sq_strict *strict = wave->strict;
    struct sq_strict_writer *writer = &strict->group->writers[at_B / 4];
    const struct sq_strict *other = strict->group->waves[writer->wave];
    bool is_late = writer->serial && facts->info->memory != ISA_MEMORY_STORE && was_left_behind(strict, other, writer);
    if (is_late && other != strict)
        amd_sq_strict_fault(
            wave, uop,
            "LDS word 0x%x was written by wave %u of the workgroup, which had not waited for it (lgkmcnt) "
            "when it came to the barrier",
            at_B & ~3u, writer->wave);
    /* An atomic of the writer itself adds to what is late, and leaves it to the others to be too early for. The number
     * is the one that amd_sq_strict_issue will give. */
    if (facts->info->memory != ISA_MEMORY_LOAD && !is_late)
        *writer = (struct sq_strict_writer){strict->serial + 1, strict->barriers, strict->index};
}

void amd_sq_strict_check_lds(struct sq_wave *wave, const struct sq_uop *uop, const struct sq_strict_facts *facts)
{
    if (!facts->is_lds || !wave->lds_size_B)
        return;
    const struct isa_inst *inst = facts->inst;
    const uint32_t *addr = wave->vgpr + inst->operands[facts->info->dst_count].value * wave->lanes;
    uint64_t exec = sq_exec(wave);
    for (unsigned which = 0; which < (facts->lds_step_B ? 2u : 1u); which++) {
        uint32_t offset_B = facts->lds_step_B ? ((uint32_t)inst->mem.offset >> 8 * which & 0xff) * facts->lds_step_B
                                              : (uint32_t)inst->mem.offset;
        for (unsigned lane = 0; lane < wave->lanes; lane++) {
            uint32_t at_B = addr[lane] + offset_B;
            if (!(exec >> lane & 1) || (uint64_t)at_B + facts->lds_size_B > wave->lds_size_B)
                continue;
            for (uint32_t byte = 0; byte < facts->lds_size_B; byte += 4)
                touch_word(wave, uop, facts, at_B + byte);
        }
    }
}
