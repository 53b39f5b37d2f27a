/* A product that is only added to things, where neither is marked exact: one multiply-add, which rounds once. Vulkan
 * allows this wherever NoContraction is not asked for. */
#include "compiler/lower/lower.h"

static bool is_open_sum(const struct ir_instr *instr)
{
    return instr->op == IR_OP_fadd && !(instr->flags & IR_FLAG_EXACT);
}

/* Every reader is a sum that can take the product in, perhaps negated: then nothing is left that needs it by itself. */
static bool is_only_summed(const struct ir_value *value, bool negated)
{
    ir_foreach_use (value, use) {
        const struct ir_instr *reader = use->instr;
        bool negates = reader && reader->op == IR_OP_fneg && !negated && is_only_summed(&reader->def, true);
        if (!reader || (!is_open_sum(reader) && !negates))
            return false;
    }
    return true;
}

/* The product, looking through a negation; NULL where there is none to fuse. */
static struct ir_instr *product_of(struct ir_value *value, bool *negative_out)
{
    struct ir_instr *def = ir_def_instr(value);
    *negative_out = def->op == IR_OP_fneg;
    if (*negative_out)
        def = ir_def_instr(ir_src(def, 0));
    return def->op == IR_OP_fmul && !(def->flags & IR_FLAG_EXACT) && is_only_summed(&def->def, false) ? def : NULL;
}

static struct ir_value *fuse_instr(struct ir_builder *b, struct ir_instr *instr)
{
    if (!is_open_sum(instr) || !(b->shader->target->fuses & instr->def.bits))
        return NULL;
    for (unsigned i = 0; i < 2; i++) {
        bool negative;
        struct ir_instr *product = product_of(ir_src(instr, i), &negative);
        if (!product)
            continue;
        struct ir_value *x = ir_src(product, 0), *y = ir_src(product, 1);
        return ir_ffma(b, negative ? ir_fneg(b, x) : x, y, ir_src(instr, 1 - i));
    }
    return NULL;
}

bool lower_fuse(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_instrs(shader, fuse_instr);
}
