/* Pairs of 16-bit operations become one on two halves, for machines whose registers hold both (property `packs` of
 * ops.table). What is computed stays the same, half by half.
 *
 * A vector of halves wants its components side by side, and two sums of a loop may as well be so: from there the pass
 * goes up to what makes two of them. Two operations of one kind in one block are a pair where that saves more
 * instructions than putting their operands side by side costs. A pair stands where the later of the two stood, so
 * everything that reads the earlier one must come after that place, or go to such a place itself as part of a pair. */
#include <string.h>

#include "compiler/ir/ir_builder.h"
#include "compiler/ir/opt.h"
#include "compiler/ir/target.h"

enum {
    MAX_DEPTH = 24,  /* of operations above a vector */
    MAX_ROUNDS = 4,  /* what pairs and phis read is wanted side by side, too */
    MAX_STEPS = 256, /* of the search from one vector: what is not worth it is looked at again from elsewhere */
};

struct pair {
    struct ir_instr *low, *high;
    bool is_crossed; /* the first two operands of `high` change places */
};

struct state {
    struct ir_shader *shader;
    uint32_t *place;   /* by value: where it will be made; instructions are counted from one in pass_flags */
    uint32_t *pair_of; /* by value: the pair that it is in, plus one */
    struct pair *pairs;
    uint32_t num_pairs;
    uint32_t num_steps;
};

/* ---- halves side by side ---- */

static bool is_half(const struct ir_value *value)
{
    return value->bits == 16 && value->comps == 1;
}

/* The 32 bits that this is a half of. */
static const struct ir_value *word_of(const struct ir_value *value, unsigned *half_out)
{
    const struct ir_instr *def = ir_def_instr(value);
    if (def->op != IR_OP_lo16 && def->op != IR_OP_hi16)
        return NULL;
    *half_out = def->op == IR_OP_hi16;
    return ir_src(def, 0);
}

/* The vector that this is a component of. */
static const struct ir_value *vector_of(const struct ir_value *value, unsigned *comp_out)
{
    const struct ir_instr *def = ir_def_instr(value);
    if (def->op != IR_OP_extract)
        return NULL;
    *comp_out = ir_imm(def, IR_IMM_COMP);
    return ir_src(def, 0);
}

static bool is_same_constant(const struct ir_value *x, const struct ir_value *y)
{
    return ir_is_const(x) && ir_is_const(y) && ir_const_u64(x) == ir_const_u64(y);
}

/* To a half: two of them are rounded at once. */
static bool is_rounding(const struct ir_instr *instr)
{
    return instr->op == IR_OP_f2f || instr->op == IR_OP_i2f || instr->op == IR_OP_u2f;
}

/* Both are halves of one register, in any order, or need none: an instruction reads them as they are. */
static bool are_together(const struct ir_value *x, const struct ir_value *y)
{
    unsigned i = 0, j = 0;
    if (x == y || (ir_is_const(x) && ir_is_const(y)) || ir_is_undef(x) || ir_is_undef(y))
        return true;
    if (word_of(x, &i) && word_of(y, &j))
        return word_of(x, &i) == word_of(y, &j);
    const struct ir_value *v = vector_of(x, &i), *w = vector_of(y, &j);
    if (v && v == w)
        return i / 2 == j / 2;
    const struct ir_instr *a = ir_def_instr(x), *b = ir_def_instr(y);
    if (a->op == IR_OP_phi && b->op == IR_OP_phi) /* they become one phi */
        return a->block == b->block;
    return a->op == b->op && is_rounding(a) && memcmp(a->imm, b->imm, sizeof(a->imm)) == 0;
}

static struct ir_value *side_by_side(struct ir_builder *b, struct ir_value *x, struct ir_value *y)
{
    unsigned i = 0, j = 0;
    struct ir_value *halves[] = {x, y};
    const struct ir_value *v = vector_of(x, &i), *w = vector_of(y, &j);
    if (v && v == w && v->comps == 2 && i == 0 && j == 1)
        return ir_src(ir_def_instr(x), 0);
    v = word_of(x, &i);
    w = word_of(y, &j);
    if (v && v == w && i == 0 && j == 1)
        return ir_bits_vec(b, ir_src(ir_def_instr(x), 0));
    return ir_vec(b, 2, halves);
}

/* ---- which are pairs ---- */

static bool is_shift(unsigned op)
{
    return op == IR_OP_ishl || op == IR_OP_ishr || op == IR_OP_ushr;
}

static bool is_known_count(const struct ir_target *target, const struct ir_value *x, const struct ir_value *y)
{
    return ir_is_const(x) && ir_is_const(y) && (is_same_constant(x, y) || !target->shares_counts);
}

static bool is_kind(const struct state *s, const struct ir_instr *a, const struct ir_instr *b)
{
    const struct ir_target *target = s->shader->target;
    if (a->op != b->op || a->flags != b->flags || !is_half(&a->def) || !is_half(&b->def) ||
        memcmp(a->imm, b->imm, sizeof(a->imm)) != 0)
        return false;
    if (a->op == IR_OP_select)
        return ir_src(a, 0) == ir_src(b, 0);
    if (!(ir_info(a)->props & IR_PROP_PACKS) || ir_target_lacks(target, a->op, 16))
        return false;
    return !is_shift(a->op) || is_known_count(target, ir_src(a, 1), ir_src(b, 1));
}

static uint32_t place_of(const struct state *s, const struct ir_instr *instr)
{
    return instr->def.bits ? s->place[instr->def.index] : instr->pass_flags;
}

/* All that reads it in this block comes after that place; phis read it at the end of a block. */
static bool is_read_after(const struct state *s, const struct ir_instr *instr, uint32_t place)
{
    ir_foreach_use (&instr->def, use) {
        const struct ir_instr *reader = use->instr;
        if (reader && reader->block == instr->block && reader->op != IR_OP_phi && place_of(s, reader) <= place)
            return false;
    }
    return true;
}

static bool can_pair(const struct state *s, const struct ir_instr *a, const struct ir_instr *b)
{
    if (a == b || a->block != b->block || !is_kind(s, a, b) || s->pair_of[a->def.index] || s->pair_of[b->def.index])
        return false;
    const uint32_t place = a->pass_flags > b->pass_flags ? a->pass_flags : b->pass_flags;
    return is_read_after(s, a, place) && is_read_after(s, b, place);
}

/* ---- what is worth it ---- */

static unsigned first_operand(const struct ir_instr *instr)
{
    return instr->op == IR_OP_select ? 1 : 0;
}

static unsigned num_operands(const struct ir_instr *instr)
{
    return is_shift(instr->op) ? 1 : instr->num_srcs;
}

/* Operand i of the second one. */
static struct ir_value *operand_of(const struct pair *pair, unsigned i)
{
    return ir_src(pair->high, pair->is_crossed && i < 2 ? 1 - i : i);
}

static bool could_pair(const struct state *s, const struct ir_value *x, const struct ir_value *y)
{
    return are_together(x, y) || can_pair(s, ir_def_instr(x), ir_def_instr(y));
}

/* The operands of the second one in the order in which more of them go together. */
static bool is_better_crossed(const struct state *s, const struct ir_instr *a, const struct ir_instr *b)
{
    if (!(ir_info(a)->props & IR_PROP_COMMUTES))
        return false;
    const unsigned straight = could_pair(s, ir_src(a, 0), ir_src(b, 0)) + could_pair(s, ir_src(a, 1), ir_src(b, 1));
    const unsigned crossed = could_pair(s, ir_src(a, 0), ir_src(b, 1)) + could_pair(s, ir_src(a, 1), ir_src(b, 0));
    return crossed > straight;
}

static void forget_pairs(struct state *s, uint32_t down_to)
{
    while (s->num_pairs > down_to) {
        const struct pair *pair = &s->pairs[--s->num_pairs];
        const struct ir_value *both[] = {&pair->low->def, &pair->high->def};
        for (unsigned i = 0; i < 2; i++) {
            s->pair_of[both[i]->index] = 0;
            s->place[both[i]->index] = ir_def_instr(both[i])->pass_flags;
        }
    }
}

static void note_pair(struct state *s, struct ir_instr *a, struct ir_instr *b)
{
    const uint32_t place = a->pass_flags > b->pass_flags ? a->pass_flags : b->pass_flags;
    s->pairs[s->num_pairs++] = (struct pair){a, b, is_better_crossed(s, a, b)};
    s->pair_of[a->def.index] = s->pair_of[b->def.index] = s->num_pairs;
    s->place[a->def.index] = s->place[b->def.index] = place;
}

/* Whether they are a pair already. */
static bool is_noted(const struct state *s, const struct ir_value *x, const struct ir_value *y)
{
    const uint32_t pair = s->pair_of[x->index];
    return pair && &s->pairs[pair - 1].low->def == x && &s->pairs[pair - 1].high->def == y;
}

/* Operations on one half each that are no pair, but whose operands are better off as one. */
static bool are_conversions(const struct ir_instr *a, const struct ir_instr *b)
{
    switch (a->op) {
    case IR_OP_f2i:
    case IR_OP_f2u:
    case IR_OP_i2f:
    case IR_OP_u2f:
    case IR_OP_ffloor:
    case IR_OP_fceil:
    case IR_OP_ftrunc:
    case IR_OP_fround:
        return a->op == b->op && is_half(ir_src(a, 0)) && is_half(ir_src(b, 0)) &&
               memcmp(a->imm, b->imm, sizeof(a->imm)) == 0;
    default:
        return false;
    }
}

/* Instructions that are saved by having both side by side; less than zero: that cost. */
static int plan(struct state *s, struct ir_value *x, struct ir_value *y, unsigned depth)
{
    struct ir_instr *a = ir_def_instr(x), *b = ir_def_instr(y);
    const int apart = are_together(x, y) ? 0 : -1;
    if (is_noted(s, x, y))
        return 0;
    if (depth > MAX_DEPTH || ++s->num_steps > MAX_STEPS)
        return apart;
    if (are_conversions(a, b))
        plan(s, ir_src(a, 0), ir_src(b, 0), depth + 1);
    if (!can_pair(s, a, b))
        return apart;
    const uint32_t before = s->num_pairs;
    note_pair(s, a, b);
    const struct pair pair = s->pairs[before];
    int gain = 1;
    for (unsigned i = first_operand(a); i < num_operands(a); i++)
        gain += plan(s, ir_src(a, i), operand_of(&pair, i), depth + 1);
    if (gain > apart)
        return gain;
    forget_pairs(s, before);
    return apart;
}

static void plan_block(struct state *s, struct ir_block *block)
{
    ir_foreach_instr (block, instr) {
        const bool is_vector = (instr->op == IR_OP_vec && instr->def.bits == 16) || instr->op == IR_OP_pack32;
        for (uint32_t i = 0; is_vector && i + 1 < instr->num_srcs; i += 2) {
            s->num_steps = 0;
            plan(s, ir_src(instr, i), ir_src(instr, i + 1), 0);
        }
    }
}

static bool reads_value(const struct ir_instr *instr, const struct ir_value *value)
{
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        if (ir_src(instr, i) == value)
            return true;
    }
    return false;
}

/* Two sums, or what else grows out of itself from turn to turn: nothing wants them side by side, but they stay so. */
static bool plan_growing(struct state *s, const struct ir_instr *low, const struct ir_instr *high)
{
    bool is_planned = false;
    for (uint32_t i = 0; i < low->num_srcs; i++) {
        struct ir_value *x = ir_src(low, i), *y = ir_phi_source(high, low->preds[i]);
        if (!reads_value(ir_def_instr(x), &low->def) || !reads_value(ir_def_instr(y), &high->def))
            continue;
        const uint32_t before = s->num_pairs;
        s->num_steps = 0;
        if (plan(s, x, y, 0) > 0)
            is_planned = true;
        else
            forget_pairs(s, before);
    }
    return is_planned;
}

static void plan_phis(struct state *s, struct ir_block *block)
{
    const struct ir_instr *low = NULL;
    ir_foreach_instr (block, instr) {
        if (instr->op != IR_OP_phi)
            return;
        if (is_half(&instr->def))
            low = low && plan_growing(s, low, instr) ? NULL : instr;
    }
}

/* ---- making them ---- */

static struct ir_value *both_counts(struct ir_builder *b, const struct pair *pair)
{
    return side_by_side(b, ir_const(b, 16, ir_const_u64(ir_src(pair->low, 1)) & 15),
                        ir_const(b, 16, ir_const_u64(ir_src(pair->high, 1)) & 15));
}

static void build_pair(struct state *s, const struct pair *pair)
{
    struct ir_instr *a = pair->low, *later = a->pass_flags > pair->high->pass_flags ? a : pair->high;
    struct ir_builder b = ir_builder_before(s->shader, later);
    struct ir_value *srcs[3] = {NULL}, *both;
    b.flags = a->flags;
    for (unsigned i = first_operand(a); i < num_operands(a); i++)
        srcs[i] = side_by_side(&b, ir_src(a, i), operand_of(pair, i));
    if (is_shift(a->op))
        srcs[1] = both_counts(&b, pair);
    if (a->op == IR_OP_select)
        both = ir_bits_vec(&b, ir_select(&b, ir_src(a, 0), ir_vec_bits(&b, srcs[1]), ir_vec_bits(&b, srcs[2])));
    else
        both = &ir_build(&b, (enum ir_op)a->op, 16, 2, a->num_srcs, srcs, 0, NULL, a->imm)->def;
    ir_replace_uses(&a->def, ir_extract(&b, both, 0));
    ir_replace_uses(&pair->high->def, ir_extract(&b, both, 1));
    ir_remove(a);
    ir_remove(pair->high);
}

static uint32_t place_of_pair(const struct pair *pair)
{
    return pair->low->pass_flags > pair->high->pass_flags ? pair->low->pass_flags : pair->high->pass_flags;
}

/* In the order of the program: what a pair reads is there when it is made. */
static void build_all(struct state *s, uint32_t num_places)
{
    const struct pair **at = ir_alloc_scratch(s->shader, num_places * sizeof(*at));
    for (uint32_t i = 0; i < s->num_pairs; i++)
        at[place_of_pair(&s->pairs[i])] = &s->pairs[i];
    for (uint32_t i = 0; i < num_places; i++) {
        if (at[i])
            build_pair(s, at[i]);
    }
}

/* ---- phis ---- */

static void join_phis(struct ir_shader *shader, struct ir_instr *low, struct ir_instr *high)
{
    struct ir_builder b = ir_builder_at_start(shader, low->block);
    struct ir_value *both = ir_phi(&b, 16, 2);
    for (uint32_t i = 0; i < low->num_srcs; i++) {
        struct ir_builder end = ir_builder_at_end(shader, low->preds[i]);
        struct ir_value *source = side_by_side(&end, ir_src(low, i), ir_phi_source(high, low->preds[i]));
        ir_phi_add(shader, ir_def_instr(both), low->preds[i], source);
    }
    b = ir_builder_at_start(shader, low->block);
    ir_replace_uses(&low->def, ir_extract(&b, both, 0));
    ir_replace_uses(&high->def, ir_extract(&b, both, 1));
    ir_remove(low);
    ir_remove(high);
}

/* Two phis that something wants side by side. */
static bool find_phis(const struct ir_instr *vec, struct ir_instr **low_out, struct ir_instr **high_out)
{
    if (vec->op != IR_OP_vec || vec->def.bits != 16 || vec->def.comps != 2)
        return false;
    *low_out = ir_def_instr(ir_src(vec, 0));
    *high_out = ir_def_instr(ir_src(vec, 1));
    return (*low_out)->op == IR_OP_phi && (*high_out)->op == IR_OP_phi && *low_out != *high_out &&
           (*low_out)->block == (*high_out)->block;
}

static bool join_all_phis(struct ir_shader *shader)
{
    bool progress = false;
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            struct ir_instr *low, *high;
            if (!find_phis(instr, &low, &high))
                continue;
            join_phis(shader, low, high);
            progress = true;
        }
    }
    return progress;
}

static bool run_on_shader(struct ir_shader *shader)
{
    uint32_t count = 0;
    ir_index(shader);
    const uint32_t num_values = shader->num_values;
    struct state s = {.shader = shader};
    s.place = ir_alloc_scratch(shader, (num_values + 1) * sizeof(*s.place));
    s.pair_of = ir_alloc_scratch(shader, (num_values + 1) * sizeof(*s.pair_of));
    s.pairs = ir_alloc_scratch(shader, (num_values / 2 + 1) * sizeof(*s.pairs));
    ir_foreach_block (shader, block) {
        ir_foreach_instr (block, instr) {
            instr->pass_flags = ++count;
            if (instr->def.bits)
                s.place[instr->def.index] = count;
        }
    }
    ir_foreach_block (shader, block) {
        plan_block(&s, block);
        plan_phis(&s, block);
    }
    build_all(&s, count + 1);
    return s.num_pairs > 0;
}

bool opt_pairs(struct ir_shader *shader, const void *options)
{
    (void)options;
    bool progress = false;
    if (shader->target->lacks_packed)
        return false;
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        const bool has_pairs = run_on_shader(shader), has_phis = join_all_phis(shader);
        if (!has_pairs && !has_phis)
            break;
        progress = true;
    }
    return progress;
}
