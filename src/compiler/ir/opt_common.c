/* Common subexpressions: of two instructions that compute the same, the later one goes when the earlier one's block
 * dominates it. Its value is then known in every lane that reaches the later place, because dominance is also "was
 * executed by at least these lanes".
 *
 * Of two loads of memory that can change, both stand in one block and nothing between them writes such memory: another
 * invocation's write that came between would be a race. Not touched: volatile and coherent loads, what has an effect,
 * and what depends on which lanes are active. */
#include <string.h>

#include "compiler/ir/opt.h"

#define TOUCHES 16    /* bits of what an operation reads or writes */
#define MOST_LOOPS 15 /* around a reader whose values are looked for, besides those of no loop */

/* Values that were computed on the way to a block, from its dominators: the later entries stand first in their
 * bucket, so that they are taken out again in the reverse order when the walk leaves the blocks that their block
 * dominates. */
struct entry {
    struct ir_instr *instr;
    const struct ir_loop *loop; /* innermost around it */
    struct entry *next;         /* in the bucket */
    uint32_t bucket;
    uint32_t serial; /* of a load: its place in the block */
};

struct state {
    struct ir_shader *shader;
    struct entry **buckets, *entries; /* the entries as a stack */
    uint32_t mask, num_entries;
    const struct ir_loop *loops[MOST_LOOPS + 1]; /* around the block, innermost first, then NULL */
    uint32_t num_loops;
    uint32_t serial, wrote[TOUCHES]; /* in this block; the last one that wrote such memory */
};

/* Memory that nothing in a shader's run can change. */
#define STEADY (IR_TOUCH_PUSH | IR_TOUCH_UBO | IR_TOUCH_DESC | IR_TOUCH_INPUT | IR_TOUCH_CONST)

static bool is_pure(const struct ir_instr *instr)
{
    const struct ir_op_info *info = ir_info(instr);
    if (!instr->def.bits || instr->op == IR_OP_phi || (info->props & (IR_PROP_EFFECT | IR_PROP_CROSS | IR_PROP_JUMP)))
        return false;
    if (instr->op == IR_OP_load_sysval) /* demote changes which lanes are helpers */
        return ir_imm(instr, IR_IMM_SYSVAL) != IR_SYSVAL_helper_invocation;
    if (!(info->reads & ~STEADY))
        return true;
    return ir_has_imm(instr, IR_IMM_ACCESS) && (ir_imm(instr, IR_IMM_ACCESS) & IR_ACCESS_READONLY);
}

/* Memory that may change, read in a way that lets the reader keep what it has read. */
static bool is_load(const struct ir_instr *instr)
{
    const struct ir_op_info *info = ir_info(instr);
    if (!instr->def.bits || !info->reads || (info->props & (IR_PROP_EFFECT | IR_PROP_CROSS | IR_PROP_JUMP)))
        return false;
    return !ir_has_imm(instr, IR_IMM_ACCESS) ||
           !(ir_imm(instr, IR_IMM_ACCESS) & (IR_ACCESS_VOLATILE | IR_ACCESS_COHERENT));
}

static bool is_still_there(const struct state *state, const struct entry *entry, const struct ir_instr *load)
{
    if (entry->instr->block != load->block)
        return false;
    for (uint32_t i = 0; i < TOUCHES; i++) {
        if (ir_info(load)->reads >> i & 1 && state->wrote[i] > entry->serial)
            return false;
    }
    return true;
}

static void note_writes(struct state *state, const struct ir_instr *instr)
{
    state->serial++;
    for (uint32_t i = 0; ir_info(instr)->writes && i < TOUCHES; i++) {
        if (ir_info(instr)->writes >> i & 1)
            state->wrote[i] = state->serial;
    }
}

/* RelaxedPrecision is a permission: an instruction without it cannot use a value computed with it, so flags must be the
 * same. */
static bool same(const struct ir_instr *a, const struct ir_instr *b)
{
    if (a->op != b->op || a->num_srcs != b->num_srcs || a->def.bits != b->def.bits || a->def.comps != b->def.comps ||
        a->flags != b->flags || memcmp(a->imm, b->imm, sizeof(a->imm)))
        return false;
    for (uint32_t i = 0; i < a->num_srcs; i++)
        if (ir_src(a, i) != ir_src(b, i))
            return false;
    return true;
}

static bool same_exchanged(const struct ir_instr *a, const struct ir_instr *b)
{
    if (same(a, b))
        return true;
    if (!(ir_info(a)->props & IR_PROP_COMMUTES) || a->op != b->op || a->def.bits != b->def.bits ||
        a->def.comps != b->def.comps || a->flags != b->flags || ir_src(a, 0) != ir_src(b, 1) ||
        ir_src(a, 1) != ir_src(b, 0))
        return false;
    return a->num_srcs < 3 || ir_src(a, 2) == ir_src(b, 2);
}

static uint64_t mixed(uint32_t number)
{
    uint64_t h = (number + 1ull) * 0xd6e8feb86659fd93ull;
    return h ^ h >> 32;
}

/* The order of the first two operands must not count where they may be exchanged. */
static uint32_t hash(const struct ir_instr *instr)
{
    uint64_t h = (uint64_t)instr->op << 16 | (uint64_t)instr->def.bits << 8 | instr->def.comps;
    for (uint32_t i = 0; i < IR_MAX_IMMS; i++)
        h = h * 0x100000001b3ull + instr->imm[i];
    uint32_t i = 0;
    if ((ir_info(instr)->props & IR_PROP_COMMUTES) && instr->num_srcs >= 2) {
        h = h * 0x9e3779b97f4a7c15ull + mixed(ir_src(instr, 0)->index) + mixed(ir_src(instr, 1)->index);
        i = 2;
    }
    for (; i < instr->num_srcs; i++)
        h = h * 0x9e3779b97f4a7c15ull + mixed(ir_src(instr, i)->index);
    return (uint32_t)(h ^ h >> 32);
}

static uint32_t bucket_of(const struct state *state, uint32_t hash, const struct ir_loop *loop)
{
    uint64_t mixed = (uint64_t)(uintptr_t)loop * 0x9e3779b97f4a7c15ull;
    return (hash ^ (uint32_t)(mixed >> 32)) & state->mask;
}

static void find_loops(struct state *state, const struct ir_block *block)
{
    const struct ir_loop *loop = block->node.region->loop;
    for (state->num_loops = 0; loop && state->num_loops < MOST_LOOPS; loop = loop->node.region->loop)
        state->loops[state->num_loops++] = loop;
    state->loops[state->num_loops++] = NULL;
}

/* A value of a loop that is read after it lives long, and where lanes leave the loop one after the other it is another
 * one in each: to compute it again is better. So an entry is looked for among those of the loops around the reader. */
static struct ir_instr *find_instr(const struct state *state, const struct ir_instr *instr, uint32_t hash)
{
    const bool is_steady = is_pure(instr);
    for (uint32_t i = 0; i < state->num_loops; i++) {
        const struct entry *entry = state->buckets[bucket_of(state, hash, state->loops[i])];
        for (; entry; entry = entry->next) {
            if (entry->loop == state->loops[i] && same_exchanged(entry->instr, instr) &&
                (is_steady || is_still_there(state, entry, instr)))
                return entry->instr;
        }
    }
    return NULL;
}

static void leave_blocks(struct state *state, const struct ir_block *next)
{
    while (state->num_entries && !ir_dominates(state->entries[state->num_entries - 1].instr->block, next)) {
        const struct entry *last = &state->entries[--state->num_entries];
        state->buckets[last->bucket] = last->next;
    }
}

static bool visit_block(struct state *state, struct ir_block *block)
{
    bool progress = false;
    leave_blocks(state, block);
    find_loops(state, block);
    state->serial = 0;
    memset(state->wrote, 0, sizeof(state->wrote));
    ir_foreach_instr (block, instr) {
        note_writes(state, instr);
        if (!is_pure(instr) && !is_load(instr))
            continue;
        uint32_t code = hash(instr);
        struct ir_instr *found = find_instr(state, instr, code);
        if (found) {
            ir_replace_uses(&instr->def, &found->def);
            ir_remove(instr);
            progress = true;
            continue;
        }
        uint32_t bucket = bucket_of(state, code, state->loops[0]);
        struct entry *entry = &state->entries[state->num_entries++];
        *entry = (struct entry){instr, state->loops[0], state->buckets[bucket], bucket, state->serial};
        state->buckets[bucket] = entry;
    }
    return progress;
}

bool opt_common(struct ir_shader *shader, const void *options)
{
    bool progress = false;
    struct state state = {.shader = shader, .mask = 63};
    ir_build_cfg(shader);
    ir_note_loops(shader);
    while (state.mask < shader->num_values)
        state.mask = state.mask * 2 + 1;
    state.buckets = ir_alloc_scratch(shader, ((size_t)state.mask + 1) * sizeof(*state.buckets));
    state.entries = ir_alloc_scratch(shader, (shader->num_values + 1) * sizeof(*state.entries));
    uint32_t count;
    struct ir_block **order = ir_dominance_order(shader, &count);
    for (uint32_t i = 0; i < count; i++)
        progress |= visit_block(&state, order[i]);
    return progress;
}
