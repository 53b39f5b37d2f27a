/* Waits that the hardware does not do by itself: (ss) and (sy) before results of the units that answer late are used or
 * their sources overwritten, nops before results of the ALUs are read, (jp) where fibers may come together. The rules
 * are those of docs/strict.md.
 *
 * Results on their way at the start of a block are those that its predecessors leave: the blocks are walked until
 * nothing changes, then once more to write it down. */
#include <string.h>

#include "adreno/compiler/air.h"
#include "util/bits.h"

#define DELAY_ALU 3
#define DELAY_OTHER 6
#define THIRD_SOURCE 2 /* slots by which a mad reads its third source later */
#define WORDS ((AIR_UNIT_A0 + 31) / 32)

/* Halves of registers. */
struct set {
    uint32_t bits[WORDS];
};

struct state {
    struct set ss, sy;                 /* results on their way */
    struct set read_ss, read_ss_or_sy; /* sources that may not be read yet */
    uint8_t left[AIR_UNITS];           /* slots until anything may read what an ALU wrote, 0: now */
    struct set is_half;                /* an ALU wrote it as a half */
};

enum waits {
    NOTHING,
    WAITS_SS,
    WAITS_SY,
    WAITS_EITHER
};

struct facts {
    bool is_alu, has_ss; /* has_ss: there is a bit for (ss) in the word */
    uint8_t slots;
    uint8_t result, sources; /* enum waits */
};

/* ---- facts ---- */

static bool is_category_5(unsigned op)
{
    return op >= ADRENO_ISA_OP_ISAM && op <= ADRENO_ISA_OP_QUAD_SHUFFLE_DIAG;
}

static bool is_category_6(unsigned op)
{
    return op >= ADRENO_ISA_OP_LDG && op <= ADRENO_ISA_OP_ATOMIC_B_XOR;
}

static bool is_local_atomic(unsigned op)
{
    return op >= ADRENO_ISA_OP_ATOMIC_ADD && op <= ADRENO_ISA_OP_ATOMIC_XOR;
}

static struct facts memory_facts(unsigned op)
{
    switch (op) {
    case ADRENO_ISA_OP_STG:
    case ADRENO_ISA_OP_STG_A:
    case ADRENO_ISA_OP_STL:
    case ADRENO_ISA_OP_STLW:
    case ADRENO_ISA_OP_STP:
    case ADRENO_ISA_OP_STIB_B:
    case ADRENO_ISA_OP_STC:
        return (struct facts){.sources = WAITS_SS};
    case ADRENO_ISA_OP_LDL:
    case ADRENO_ISA_OP_LDLW:
    case ADRENO_ISA_OP_LDLV:
    case ADRENO_ISA_OP_SHFL:
        return (struct facts){.result = WAITS_SS, .sources = WAITS_SS};
    case ADRENO_ISA_OP_GETSPID:
    case ADRENO_ISA_OP_GETWID:
    case ADRENO_ISA_OP_GETFIBERID:
        return (struct facts){.result = NOTHING};
    case ADRENO_ISA_OP_RESINFO:
    case ADRENO_ISA_OP_RESINFO_B:
        return (struct facts){.result = WAITS_SS, .sources = WAITS_EITHER};
    default:
        return (struct facts){.result = is_local_atomic(op) ? WAITS_SS : WAITS_SY, .sources = WAITS_EITHER};
    }
}

/* A write to a shared register runs on the scalar ALU, where there is one, and takes no slot; but for moves of
 * ordinary registers. */
static bool may_be_scalar(const struct mach_instr *instr)
{
    return instr->op != ADRENO_ISA_OP_MOVMSK &&
           (instr->op >= ADRENO_ISA_OP_ADD_F || instr->operands[0].kind != MACH_TEMP);
}

static struct facts facts_of(const struct mach_instr *instr)
{
    const unsigned op = instr->op;
    if (is_category_6(op))
        return memory_facts(op);
    if (is_category_5(op))
        return (struct facts){.result = WAITS_SY, .sources = WAITS_EITHER};
    if (op >= ADRENO_ISA_OP_RCP && op <= ADRENO_ISA_OP_HEXP2)
        return (struct facts){.has_ss = true, .result = WAITS_SS, .sources = WAITS_SS};
    const bool is_alu = op >= ADRENO_ISA_OP_MOV && op < ADRENO_ISA_OP_RCP;
    const bool is_shared = is_alu && instr->num_defs && !instr->defs[0].temp &&
                           instr->defs[0].special >= ADRENO_ISA_REG_SHARED &&
                           instr->defs[0].special < ADRENO_ISA_REG_A0;
    const unsigned more = op == ADRENO_ISA_OP_SWZ ? 1 : (unsigned)air_isa(instr)->field[ADRENO_ISA_FIELD_REPEAT];
    return (struct facts){.is_alu = is_alu,
                          .has_ss = true,
                          .slots = (uint8_t)(is_shared && may_be_scalar(instr) ? 0 : 1 + more + air_isa(instr)->nop),
                          .result = is_shared ? WAITS_SS : NOTHING,
                          .sources = is_shared ? WAITS_SS : NOTHING};
}

static bool reads_third_late(unsigned op)
{
    return op >= ADRENO_ISA_OP_MAD_U16 && op <= ADRENO_ISA_OP_MAD_F32;
}

/* ---- sets ---- */

static bool has_span(const struct set *set, struct air_span span)
{
    for (unsigned i = span.first; i < span.first + span.count && i < AIR_UNIT_A0; i++) {
        if (set->bits[i / 32] >> (i % 32) & 1)
            return true;
    }
    return false;
}

static void change_span(struct set *set, struct air_span span, bool is_in)
{
    for (unsigned i = span.first; i < span.first + span.count && i < AIR_UNIT_A0; i++) {
        if (is_in)
            set->bits[i / 32] |= 1u << (i % 32);
        else
            set->bits[i / 32] &= ~(1u << (i % 32));
    }
}

static void clear_set(struct set *set)
{
    memset(set, 0, sizeof(*set));
}

static void passed(struct state *state, unsigned slots)
{
    for (unsigned i = 0; slots && i < AIR_UNITS; i++)
        state->left[i] = state->left[i] > slots ? (uint8_t)(state->left[i] - slots) : 0;
}

static void waited(struct state *state, bool is_ss, bool is_sy)
{
    if (is_ss) {
        clear_set(&state->ss);
        clear_set(&state->read_ss);
    }
    if (is_sy)
        clear_set(&state->sy);
    if (is_ss || is_sy)
        clear_set(&state->read_ss_or_sy);
}

/* ---- one instruction ---- */

struct needs {
    bool ss, sy;
    unsigned slots;
};

static unsigned delay_of(const struct state *state, const struct facts *facts, const struct mach_instr *instr,
                         unsigned operand, struct air_span span)
{
    unsigned most = 0;
    for (unsigned i = span.first; i < (unsigned)span.first + span.count; i++) {
        const bool wrote_half = i < AIR_REGS && state->is_half.bits[i / 32] >> (i % 32) & 1;
        unsigned left = state->left[i], saved = 0;
        if (i < AIR_REGS && facts->is_alu && wrote_half == span.is_half)
            saved += DELAY_OTHER - DELAY_ALU;
        if (i < AIR_REGS && operand == 2 && reads_third_late(instr->op))
            saved += THIRD_SOURCE;
        left = left > saved ? left - saved : 0;
        most = MAX2(most, left);
    }
    return MIN2(most, DELAY_OTHER); /* what is of either size (merge) may count more */
}

/* The second of a pair of fine derivatives writes over what the first one makes, in order and without a wait. */
static bool completes_pair(const struct mach_instr *instr)
{
    return (instr->op == ADRENO_ISA_OP_DSXPP_1 || instr->op == ADRENO_ISA_OP_DSYPP_1) && instr->is_tied;
}

static struct needs needs_of(const struct mach_program *program, const struct state *state, const struct facts *facts,
                             const struct mach_instr *instr)
{
    struct needs needs = {.ss = facts->has_ss && air_isa(instr)->field[ADRENO_ISA_FIELD_SS]};
    for (unsigned i = completes_pair(instr); i < instr->num_operands; i++) {
        const struct air_span span = adreno_air_read(program, &instr->operands[i]);
        needs.ss |= has_span(&state->ss, span);
        needs.sy |= has_span(&state->sy, span);
        needs.slots = MAX2(needs.slots, delay_of(state, facts, instr, i, span));
    }
    for (unsigned i = 0; i < instr->num_defs && !completes_pair(instr); i++) {
        const struct air_span span = adreno_air_written(program, instr, i);
        needs.ss |= has_span(&state->ss, span) || has_span(&state->read_ss, span);
        needs.sy |= has_span(&state->sy, span);
        if (has_span(&state->read_ss_or_sy, span) && !needs.sy)
            needs.ss = true;
    }
    /* Outputs must have arrived when the program ends; nothing of it counts slots. */
    if (instr->op == ADRENO_ISA_OP_END || instr->op == ADRENO_ISA_OP_CHSH)
        needs.slots = 0;
    /* After a barrier, and for the next stage, stores are there for others, and the others' stores are there. */
    if (instr->op == ADRENO_ISA_OP_BAR || instr->op == ADRENO_ISA_OP_FENCE || instr->op == ADRENO_ISA_OP_CHMASK)
        needs.ss = needs.sy = true;
    return needs;
}

static void leave_instr(const struct mach_program *program, struct state *state, const struct facts *facts,
                        const struct mach_instr *instr)
{
    for (unsigned i = 0; facts->sources && i < instr->num_operands; i++)
        change_span(facts->sources == WAITS_SS ? &state->read_ss : &state->read_ss_or_sy,
                    adreno_air_read(program, &instr->operands[i]), true);
    passed(state, facts->slots);
    for (unsigned i = 0; i < instr->num_defs; i++) {
        const struct air_span span = adreno_air_written(program, instr, i);
        for (unsigned j = span.first; j < (unsigned)span.first + span.count; j++)
            state->left[j] = facts->is_alu && !facts->result ? DELAY_OTHER : 0;
        change_span(&state->is_half, span, span.is_half);
        if (facts->result)
            change_span(facts->result == WAITS_SS ? &state->ss : &state->sy, span, true);
    }
}

/* ---- writing it down ---- */

static struct mach_instr *add_nop(struct mach_program *program, struct mach_instr *before)
{
    struct mach_builder builder = {program, &before->link};
    return mach_new_instr(&builder, ADRENO_ISA_OP_NOP, 0, 0);
}

/* Categories 2 and 3 carry up to three nops of their own. */
static bool carries_nops(const struct mach_instr *instr)
{
    const unsigned op = instr->op;
    return op >= ADRENO_ISA_OP_ADD_F && op <= ADRENO_ISA_OP_WMM_ACCU && op != ADRENO_ISA_OP_BARY_F &&
           op != ADRENO_ISA_OP_FLAT_B && !air_isa(instr)->field[ADRENO_ISA_FIELD_REPEAT];
}

static void write_needs(struct mach_program *program, const struct mach_block *block, struct mach_instr *instr,
                        const struct facts *facts, struct needs needs)
{
    struct mach_instr *previous =
        instr->link.prev != &block->instrs ? container_of(instr->link.prev, struct mach_instr, link) : NULL;
    struct mach_instr *waiting = instr;
    if (needs.slots && previous && carries_nops(previous) && air_isa(previous)->nop + needs.slots <= 3) {
        air_isa(previous)->nop = (uint16_t)(air_isa(previous)->nop + needs.slots);
    } else if (needs.slots || (needs.ss && !facts->has_ss)) {
        struct mach_instr *nop = add_nop(program, instr);
        air_isa(nop)->field[ADRENO_ISA_FIELD_REPEAT] = (int16_t)(MAX2(needs.slots, 1u) - 1);
        waiting = facts->has_ss ? instr : nop;
    }
    if (needs.ss && !facts->has_ss && waiting == instr)
        waiting = add_nop(program, instr);
    air_isa(waiting)->field[ADRENO_ISA_FIELD_SS] |= needs.ss;
    air_isa(instr)->field[ADRENO_ISA_FIELD_SY] |= needs.sy;
}

static void walk_block(struct mach_program *program, struct mach_block *block, struct state *state, bool is_final)
{
    for (struct list *link = block->instrs.next, *next; link != &block->instrs; link = next) {
        struct mach_instr *instr = container_of(link, struct mach_instr, link);
        next = link->next;
        const struct facts facts = facts_of(instr);
        struct needs needs = needs_of(program, state, &facts, instr);
        /* A nop that only waits takes a slot, too. */
        const bool is_nop_added = needs.ss && !facts.has_ss && !needs.slots;
        if (is_final)
            write_needs(program, block, instr, &facts, needs);
        passed(state, needs.slots + is_nop_added);
        waited(state, needs.ss, needs.sy);
        leave_instr(program, state, &facts, instr);
    }
}

/* ---- blocks ---- */

/* True where something was added. */
static bool merge_states(struct state *to, const struct state *from)
{
    struct state old = *to;
    for (unsigned i = 0; i < WORDS; i++) {
        to->ss.bits[i] |= from->ss.bits[i];
        to->sy.bits[i] |= from->sy.bits[i];
        to->read_ss.bits[i] |= from->read_ss.bits[i];
        to->read_ss_or_sy.bits[i] |= from->read_ss_or_sy.bits[i];
    }
    for (unsigned i = 0; i < AIR_UNITS; i++) {
        if (from->left[i] && to->left[i] && i < AIR_REGS &&
            (from->is_half.bits[i / 32] ^ to->is_half.bits[i / 32]) >> (i % 32) & 1)
            to->left[i] = DELAY_OTHER + DELAY_OTHER - DELAY_ALU; /* either size: the longer delay for both */
        else if (from->left[i] > to->left[i]) {
            to->left[i] = from->left[i];
            if (i < AIR_REGS)
                change_span(&to->is_half, (struct air_span){(uint16_t)i, 1, false},
                            from->is_half.bits[i / 32] >> (i % 32) & 1);
        }
    }
    return memcmp(&old, to, sizeof(old)) != 0;
}

static void mark_block(struct mach_program *program, struct mach_block *block)
{
    struct mach_builder builder = {program, &block->instrs};
    if (block->instrs.next == &block->instrs)
        mach_new_instr(&builder, ADRENO_ISA_OP_NOP, 0, 0);
    air_isa(container_of(block->instrs.next, struct mach_instr, link))->field[ADRENO_ISA_FIELD_JP] = 1;
}

/* Blocks that a jump or a branch leads to begin with (jp). */
static void mark_targets(struct mach_program *program)
{
    mach_foreach_block(program, block)
    {
        if (block->is_kept)
            mark_block(program, block);
        mach_foreach_instr(block, instr)
        {
            if (air_is_jump(instr))
                mark_block(program, &program->blocks[instr->target]);
        }
    }
}

/* A (jp) stands at the very first instruction, also before nops that were added. */
static void move_marks(struct mach_program *program)
{
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr)
        {
            if (!air_isa(instr)->field[ADRENO_ISA_FIELD_JP])
                continue;
            air_isa(instr)->field[ADRENO_ISA_FIELD_JP] = 0;
            air_isa(container_of(block->instrs.next, struct mach_instr, link))->field[ADRENO_ISA_FIELD_JP] = 1;
            break;
        }
    }
}

static bool is_relative(const struct mach_instr *instr)
{
    bool is_any = instr->num_defs && instr->defs[0].is_relative;
    for (unsigned i = 0; i < instr->num_operands; i++)
        is_any |= instr->operands[i].kind == AIR_CONST_RELATIVE || instr->operands[i].kind == AIR_ARRAY_RELATIVE;
    return is_any;
}

/* The last instruction that counts from a0.x before it is written again has (ul); a0.x is never read in another
 * block. */
static void mark_last_relative(struct mach_program *program)
{
    mach_foreach_block(program, block)
    {
        struct mach_instr *last = NULL;
        mach_foreach_instr(block, instr)
        {
            if (is_relative(instr))
                last = instr;
            else if (last && instr->num_defs && !instr->defs[0].temp && instr->defs[0].special == ADRENO_ISA_REG_A0) {
                air_isa(last)->field[ADRENO_ISA_FIELD_UL] = 1;
                last = NULL;
            }
        }
        if (last)
            air_isa(last)->field[ADRENO_ISA_FIELD_UL] = 1;
    }
}

void adreno_air_legalise(struct mach_program *program)
{
    struct state *entry = mach_alloc(program, program->num_blocks * sizeof(*entry));
    bool *is_due = mach_alloc(program, program->num_blocks * sizeof(*is_due));
    mark_targets(program);
    mark_last_relative(program);
    for (unsigned i = 0; i < air_own(program)->num_late; i++)
        change_span(&entry[0].sy, air_own(program)->late[i], true);
    memset(is_due, 1, program->num_blocks * sizeof(*is_due));
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        mach_foreach_block(program, block)
        {
            if (!is_due[block->index])
                continue;
            is_due[block->index] = false;
            struct state state = entry[block->index];
            walk_block(program, block, &state, false);
            for (uint32_t i = 0; i < block->num_succs; i++) {
                if (merge_states(&entry[block->succs[i]], &state))
                    is_due[block->succs[i]] = is_changed = true;
            }
        }
    }
    mach_foreach_block(program, block) walk_block(program, block, &entry[block->index], true);
    move_marks(program);
}
