/* Constant folding and what is as sure as it: a select whose choice is known, a component of a vector that was just put
 * together, a phi of one value. Rules that need more than one instruction's operands are in algebraic.table. */
#include "compiler/ir/ir_builder.h"
#include "compiler/ir/ir_fold.h"
#include "compiler/ir/opt.h"

/* All sources are one value, or the phi itself. Undefined ones may be taken for it, too, if it is known at the phi. */
static struct ir_value *fold_phi(const struct ir_instr *phi)
{
    struct ir_value *one = NULL;
    bool undefined = false;
    for (uint32_t i = 0; i < phi->num_srcs; i++) {
        struct ir_value *source = ir_src(phi, i);
        if (source == &phi->def)
            continue;
        if (ir_is_undef(source)) {
            undefined = true;
            if (!one)
                one = source;
            continue;
        }
        if (one && one != source && !ir_is_undef(one))
            return NULL;
        one = source;
    }
    if (one && undefined && !ir_is_undef(one)) {
        struct ir_block *home = ir_def_instr(one)->block;
        if (home == phi->block || !ir_dominates(home, phi->block))
            return NULL;
    }
    return one;
}

/* vec(extract(v, 0), extract(v, 1), …) of all of v. */
static struct ir_value *fold_vec(const struct ir_instr *vec)
{
    struct ir_value *whole = NULL;
    for (uint32_t i = 0; i < vec->num_srcs; i++) {
        const struct ir_instr *part = ir_def_instr(ir_src(vec, i));
        if (part->op != IR_OP_extract || ir_imm(part, IR_IMM_COMP) != i || (whole && ir_src(part, 0) != whole))
            return NULL;
        whole = ir_src(part, 0);
    }
    return whole && whole->comps == vec->def.comps ? whole : NULL;
}

static struct ir_value *fold_select(const struct ir_instr *select)
{
    if (ir_is_const(ir_src(select, 0)))
        return ir_src(select, ir_const_u64(ir_src(select, 0)) ? 1 : 2);
    if (ir_src(select, 1) == ir_src(select, 2) || ir_is_undef(ir_src(select, 2)))
        return ir_src(select, 1);
    return ir_is_undef(ir_src(select, 1)) ? ir_src(select, 2) : NULL;
}

static struct ir_value *fold_instr(struct ir_shader *shader, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_phi:
        return fold_phi(instr);
    case IR_OP_vec:
        return fold_vec(instr);
    case IR_OP_extract:
        return ir_component(ir_src(instr, 0), ir_imm(instr, IR_IMM_COMP));
    case IR_OP_select: {
        struct ir_value *chosen = fold_select(instr);
        if (chosen)
            return chosen;
        break;
    }
    default:
        break;
    }
    uint64_t value;
    if (!ir_info(instr)->folds || !ir_fold(shader, instr, &value))
        return NULL;
    struct ir_builder b = ir_builder_before(shader, instr);
    return ir_const(&b, instr->def.bits, value);
}

/* A constant stands second, so that rules need to look in one place. */
static bool order_operands(struct ir_instr *instr)
{
    if (!(ir_info(instr)->props & IR_PROP_COMMUTES) || !ir_is_const(ir_src(instr, 0)) || ir_is_const(ir_src(instr, 1)))
        return false;
    struct ir_value *first = ir_src(instr, 0);
    ir_use_set(&instr->srcs[0], ir_src(instr, 1));
    ir_use_set(&instr->srcs[1], first);
    return true;
}

bool opt_fold(struct ir_shader *shader, const void *options)
{
    bool progress = false;
    ir_build_cfg(shader);
    ir_foreach_block (shader, block)
        ir_foreach_instr (block, instr) {
            if (!instr->def.bits)
                continue;
            progress |= order_operands(instr);
            struct ir_value *value = fold_instr(shader, instr);
            if (!value || value == &instr->def)
                continue;
            ir_replace_uses(&instr->def, value);
            ir_remove(instr);
            progress = true;
        }
    return progress;
}
