/* Common subexpressions: of two instructions that compute the same, the later one goes when the earlier one's block
 * dominates it. Its value is then known in every lane that reaches the later place, because dominance is also "was
 * executed by at least these lanes".
 *
 * Not touched: what reads memory that can change, what has an effect, and what depends on which lanes are active. */
#include <string.h>

#include "compiler/ir/opt.h"

struct entry {
    struct ir_instr *instr;
    struct entry *next;
};

/* Memory that nothing in a shader's run can change. */
#define STEADY (IR_TOUCH_PUSH | IR_TOUCH_UBO | IR_TOUCH_DESC | IR_TOUCH_INPUT | IR_TOUCH_CONST)

static bool is_pure(const struct ir_instr *instr)
{
    const struct ir_op_info *info = ir_info(instr);
    if (!instr->def.bits || instr->op == IR_OP_phi || (info->props & (IR_PROP_EFFECT | IR_PROP_CROSS | IR_PROP_JUMP)))
        return false;
    if (instr->op == IR_OP_load_sysval) /* demote changes who is a helper */
        return ir_imm(instr, IR_IMM_SYSVAL) != IR_SYSVAL_helper_invocation;
    if (!(info->reads & ~STEADY))
        return true;
    return ir_has_imm(instr, IR_IMM_ACCESS) && (ir_imm(instr, IR_IMM_ACCESS) & IR_ACCESS_READONLY);
}

/* RelaxedPrecision is a permission: who does not have it cannot use a value computed with it, so flags must be the
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

/* The order of the first two operands must not count where they may be exchanged. */
static uint32_t hash(const struct ir_instr *instr)
{
    uint64_t h = (uint64_t)instr->op << 16 | (uint64_t)instr->def.bits << 8 | instr->def.comps;
    for (uint32_t i = 0; i < IR_MAX_IMMS; i++)
        h = h * 0x100000001b3ull + instr->imm[i];
    uint32_t i = 0;
    if ((ir_info(instr)->props & IR_PROP_COMMUTES) && instr->num_srcs >= 2) {
        h = h * 0x9e3779b97f4a7c15ull + ((uint64_t)ir_src(instr, 0)->index ^ ir_src(instr, 1)->index);
        h += ir_src(instr, 0)->index + ir_src(instr, 1)->index;
        i = 2;
    }
    for (; i < instr->num_srcs; i++)
        h = h * 0x9e3779b97f4a7c15ull + ir_src(instr, i)->index;
    return (uint32_t)(h ^ h >> 32);
}

/* A value of a loop that is read behind it lives long, and where lanes leave the loop one after the other it is another
 * one in each: to compute it again is better. */
static bool is_kept_in_loop(const struct ir_block *made, const struct ir_block *reader)
{
    const struct ir_loop *loop = ir_enclosing_loop(&made->node);
    for (const struct ir_node *node = &reader->node; loop && node; node = node->region->owner) {
        if (node == &loop->node)
            return false;
    }
    return loop != NULL;
}

bool opt_common(struct ir_shader *shader, const void *options)
{
    bool progress = false;
    ir_build_cfg(shader);
    uint32_t size = 64;
    while (size < shader->num_values)
        size *= 2;
    struct entry **buckets = ir_alloc_scratch(shader, size * sizeof(*buckets));
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr) {
            if (!is_pure(instr))
                continue;
            struct entry **bucket = &buckets[hash(instr) & (size - 1)];
            struct entry *found = *bucket;
            while (found && !(same_exchanged(found->instr, instr) && ir_dominates(found->instr->block, block) &&
                              !is_kept_in_loop(found->instr->block, block)))
                found = found->next;
            if (found) {
                ir_replace_uses(&instr->def, &found->instr->def);
                ir_remove(instr);
                progress = true;
                continue;
            }
            struct entry *entry = ir_alloc_scratch(shader, sizeof(*entry));
            *entry = (struct entry){instr, *bucket};
            *bucket = entry;
        }
    return progress;
}
