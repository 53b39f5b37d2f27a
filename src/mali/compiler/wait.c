/* Work that the hardware does not do by itself: slots of messages and waits for them, places where lanes come together
 * again, and marks on the last reads of registers.
 *
 * A register that a message writes is neither read nor written before its slot was waited for; registers that a
 * message reads may be written at once. An instruction names the waits after it, before the next one is issued. Its
 * place for that is also where reconvergence and the end are said, so that one of them may need a NOP. */
#include <string.h>

#include "mali/compiler/facts.h"

#define SLOTS 3
#define SLOT_BARRIER 7

/* Registers on their way, by slot. */
struct pending {
    uint64_t by_slot[SLOTS];
    uint8_t issued; /* slots with messages of any kind */
};

/* ---- slots ---- */

/* In turn, so that a load is not waited for with the one before it. What gives no result has the last one. */
static void assign_slots(struct mach_program *program)
{
    mach_foreach_block(program, block)
    {
        unsigned next = 0;
        mach_foreach_instr(block, instr)
        {
            struct mali_isa_inst *isa = vir_isa(instr);
            if (isa->op == MALI_ISA_OP_BARRIER)
                isa->field[MALI_ISA_FIELD_SLOT] = SLOT_BARRIER;
            if (!mali_vir_is_message(isa) || isa->op == MALI_ISA_OP_ATEST)
                continue;
            isa->field[MALI_ISA_FIELD_SLOT] = (uint8_t)(mali_vir_facts(isa).message ? next : SLOTS - 1);
            next = mali_vir_facts(isa).message ? (next + 1) % SLOTS : next;
        }
    }
}

/* ---- waits ---- */

/* Slots that must be waited for before the instruction. */
static unsigned needed(const struct pending *pending, const struct mali_isa_inst *isa)
{
    const struct vir_facts facts = mali_vir_facts(isa);
    const bool is_last = isa->op == MALI_ISA_OP_BARRIER || isa->op == MALI_ISA_OP_BRANCHZI;
    unsigned slots = is_last ? pending->issued : 0;
    for (unsigned i = 0; i < SLOTS; i++) {
        if (pending->by_slot[i] & (facts.reads | facts.writes))
            slots |= 1u << i;
    }
    return slots;
}

static void clear_slots(struct pending *pending, unsigned slots)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        if (slots >> i & 1)
            pending->by_slot[i] = 0;
    }
    pending->issued &= (uint8_t)~slots;
}

static void issue_inst(struct pending *pending, const struct mali_isa_inst *isa)
{
    if (!mali_vir_is_message(isa))
        return;
    const unsigned slot = isa->op == MALI_ISA_OP_ATEST ? 0 : isa->field[MALI_ISA_FIELD_SLOT];
    pending->by_slot[slot] |= mali_vir_facts(isa).message;
    pending->issued |= (uint8_t)(1u << slot);
}

/* Waits that selection has given the instruction. */
static unsigned own_waits(const struct mali_isa_inst *isa)
{
    return isa->flow <= MALI_ISA_FLOW_WAIT012 ? isa->flow : 0;
}

static void walk_block(const struct mach_block *block, struct pending *pending)
{
    mach_foreach_instr(block, instr)
    {
        clear_slots(pending, needed(pending, vir_isa(instr)));
        issue_inst(pending, vir_isa(instr));
        clear_slots(pending, own_waits(vir_isa(instr)));
    }
}

static bool join_pending(struct pending *into, const struct pending *from)
{
    const struct pending before = *into;
    for (unsigned i = 0; i < SLOTS; i++)
        into->by_slot[i] |= from->by_slot[i];
    into->issued |= from->issued;
    return memcmp(&before, into, sizeof(before)) != 0;
}

/* Messages on their way at the start of each block. A block is walked again if there are more of them. */
static struct pending *find_pending(struct mach_program *program)
{
    struct pending *in = mach_alloc(program, program->num_blocks * sizeof(*in));
    bool *is_known = mach_alloc(program, program->num_blocks * sizeof(*is_known));
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        mach_foreach_block(program, block)
        {
            if (is_known[block->index])
                continue;
            is_known[block->index] = true;
            struct pending out = in[block->index];
            walk_block(block, &out);
            for (uint32_t i = 0; i < block->num_succs; i++) {
                if (!join_pending(&in[block->succs[i]], &out))
                    continue;
                is_known[block->succs[i]] = false;
                is_changed = true;
            }
        }
    }
    return in;
}

static struct mach_instr *put_nop(struct mach_program *program, struct list *before)
{
    struct mach_builder builder = {program, before};
    return mali_vir_instr(&builder, MALI_ISA_OP_NOP, 0, 0, NULL);
}

/* Results of early tests come by slot 6; what fragments before this one have drawn to the same pixel is there after
 * slot 7. Blend shaders are called after both. */
static unsigned flow_before(const struct mach_instr *instr, unsigned slots)
{
    switch (instr->op) {
    case MALI_ISA_OP_ATEST:
        return MALI_ISA_FLOW_WAIT0126;
    case MALI_ISA_OP_BLEND:
    case MALI_ISA_OP_LD_TILE:
        return MALI_ISA_FLOW_WAIT;
    default:
        return slots;
    }
}

/* The instruction before says it, if it says nothing else than waits. */
static void wait_before(struct mach_program *program, struct mach_block *block, struct mach_instr *instr,
                        unsigned slots)
{
    const unsigned flow = flow_before(instr, slots);
    if (!flow)
        return;
    if (instr->link.prev != &block->instrs) {
        struct mali_isa_inst *before = vir_isa(container_of(instr->link.prev, struct mach_instr, link));
        if (before->flow <= MALI_ISA_FLOW_WAIT012 && before->op != MALI_ISA_OP_BRANCHZ) {
            before->flow = (uint8_t)(flow == slots ? before->flow | flow : flow);
            return;
        }
    }
    vir_isa(put_nop(program, &instr->link))->flow = (uint8_t)flow;
}

static void put_waits(struct mach_program *program, const struct pending *in)
{
    mach_foreach_block(program, block)
    {
        struct pending pending = in[block->index];
        mach_foreach_instr(block, instr)
        {
            const unsigned slots = needed(&pending, vir_isa(instr));
            wait_before(program, block, instr, slots);
            clear_slots(&pending, slots);
            issue_inst(&pending, vir_isa(instr));
            clear_slots(&pending, own_waits(vir_isa(instr)));
            if (instr->op == MALI_ISA_OP_BARRIER)
                vir_isa(instr)->flow = MALI_ISA_FLOW_WAIT;
        }
    }
}

/* ---- flow ---- */

/* Lanes that part at a fork, and those that come to a place that others come to, too. */
static bool block_reconverges(const struct mach_program *program, const struct mach_block *block)
{
    if (block->num_succs > 1)
        return true;
    return block->num_succs == 1 && program->blocks[block->succs[0]].num_preds > 1;
}

static void say_last(struct mach_program *program, struct mach_block *block, unsigned flow)
{
    struct mach_instr *last = container_of(block->instrs.prev, struct mach_instr, link);
    if (block->instrs.prev == &block->instrs || vir_isa(last)->flow != MALI_ISA_FLOW_NONE)
        last = put_nop(program, &block->instrs);
    vir_isa(last)->flow = (uint8_t)flow;
}

/* The end is said by the last instruction before the NOP that says it, where that says nothing else. */
static void join_end(struct mach_block *block)
{
    struct list *last = block->instrs.prev, *before = last->prev;
    if (last == &block->instrs || before == &block->instrs)
        return;
    struct mach_instr *end = container_of(last, struct mach_instr, link);
    struct mali_isa_inst *isa = vir_isa(container_of(before, struct mach_instr, link));
    if (end->op != MALI_ISA_OP_NOP || vir_isa(end)->flow != MALI_ISA_FLOW_END || isa->flow != MALI_ISA_FLOW_NONE ||
        isa->op == MALI_ISA_OP_BRANCHZ)
        return;
    isa->flow = MALI_ISA_FLOW_END;
    list_remove(&end->link);
}

static void put_flow(struct mach_program *program)
{
    mach_foreach_block(program, block)
    {
        if (block_reconverges(program, block))
            say_last(program, block, MALI_ISA_FLOW_RECONVERGE);
        else
            join_end(block);
    }
}

/* ---- last uses ---- */

/* A half that is not written is still the old one. */
static uint64_t whole_writes(const struct mali_isa_inst *isa, const struct vir_facts *facts)
{
    return !mali_isa_has_dst(isa->op) || isa->dst_mask == 3 ? facts->writes : 0;
}

static uint64_t live_out(const struct mach_program *program, const struct mach_block *block, const uint64_t *in)
{
    uint64_t live = 0;
    (void)program;
    for (uint32_t i = 0; i < block->num_succs; i++)
        live |= in[block->succs[i]];
    return live;
}

static bool is_named_once(const struct mali_isa_inst *isa, unsigned source)
{
    const uint64_t own = mali_vir_source_registers(isa, source);
    for (unsigned i = 0; i < mali_isa_source_count(isa->op); i++) {
        if (i != source && mali_vir_source_registers(isa, i) & own)
            return false;
    }
    for (unsigned i = 0; i < mali_isa_staging_count(isa->op); i++) {
        if (vir_registers(isa->staging[i].reg, isa->staging[i].count) & own)
            return false;
    }
    return true;
}

static void mark_instr(struct mali_isa_inst *isa, const struct vir_facts *facts, uint64_t live_after)
{
    const uint64_t live = live_after & ~facts->writes;
    for (unsigned i = 0; i < mali_isa_source_count(isa->op); i++) {
        const uint64_t own = mali_vir_source_registers(isa, i);
        if (own && !(own & live) && is_named_once(isa, i))
            isa->sources[i].flags |= MALI_ISA_FLAG_LAST;
    }
}

static void mark_block(struct mach_block *block, uint64_t live)
{
    for (struct list *link = block->instrs.prev; link != &block->instrs; link = link->prev) {
        struct mali_isa_inst *isa = vir_isa(container_of(link, struct mach_instr, link));
        const struct vir_facts facts = mali_vir_facts(isa);
        mark_instr(isa, &facts, live);
        live = (live & ~whole_writes(isa, &facts)) | facts.reads;
    }
}

/* Registers that a block reads before it writes them, and those that it leaves alone. */
struct passage {
    uint64_t read, kept;
};

static struct passage passage_of(const struct mach_block *block)
{
    struct passage passage = {0, UINT64_MAX};
    for (const struct list *link = block->instrs.prev; link != &block->instrs; link = link->prev) {
        const struct mali_isa_inst *isa = vir_isa(container_of(link, struct mach_instr, link));
        const struct vir_facts facts = mali_vir_facts(isa);
        const uint64_t written = whole_writes(isa, &facts);
        passage.kept &= ~written;
        passage.read = (passage.read & ~written) | facts.reads;
    }
    return passage;
}

static void mark_last_uses(struct mach_program *program)
{
    uint64_t *in = mach_alloc(program, program->num_blocks * sizeof(*in));
    struct passage *passages = mach_alloc(program, program->num_blocks * sizeof(*passages));
    mach_foreach_block(program, block) passages[block->index] = passage_of(block);
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (uint32_t i = program->num_blocks; i-- > 0;) {
            const uint64_t out = live_out(program, &program->blocks[i], in);
            const uint64_t live = passages[i].read | (out & passages[i].kept);
            is_changed |= live != in[i];
            in[i] = live;
        }
    }
    mach_foreach_block(program, block) mark_block(block, live_out(program, block, in));
}

void mali_vir_wait(struct mach_program *program)
{
    assign_slots(program);
    put_waits(program, find_pending(program));
    put_flow(program);
    mark_last_uses(program);
}
