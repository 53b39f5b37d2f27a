/* A product that is only added to something, where neither is marked exact: one multiply-add, which rounds once. Vulkan
 * allows this wherever NoContraction is not asked for. */
#include "amd/compiler/lower_amd.h"

static bool has_one_reader(const struct ir_value *value)
{
    return !list_is_empty(&value->uses) && value->uses.next->next == &value->uses;
}

/* The product, looking through a negation; NULL where there is none to fuse. */
static struct ir_instr *product_of(struct ir_value *value, bool *negative_out)
{
    struct ir_instr *def = ir_def_instr(value);
    *negative_out = false;
    if (!has_one_reader(value))
        return NULL;
    if (def->op == IR_OP_fneg) {
        *negative_out = true;
        value = ir_src(def, 0);
        def = ir_def_instr(value);
        if (!has_one_reader(value))
            return NULL;
    }
    return def->op == IR_OP_fmul && !(def->flags & IR_FLAG_EXACT) ? def : NULL;
}

static struct ir_value *fuse(struct ir_builder *b, struct ir_instr *instr)
{
    if (instr->op != IR_OP_fadd || (instr->flags & IR_FLAG_EXACT))
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

bool lower_amd_fuse(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_amd_instrs(shader, fuse);
}
