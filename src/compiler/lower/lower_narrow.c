/* Integers that no unit computes in their own width; perhaps only where all lanes have the same value, on a unit that
 * works for the whole wave. They are computed in 32 bits and cut. */
#include "compiler/lower/lower.h"

enum extension {
    BY_NOTHING,
    BY_SIGN,
    BY_ZERO,
    NOT_NARROWED
};

/* How the operands must be extended so that the low bits of the 32-bit result are right. */
static enum extension extension_of(enum ir_op op)
{
    switch (op) {
    case IR_OP_iadd:
    case IR_OP_isub:
    case IR_OP_imul:
    case IR_OP_ineg:
    case IR_OP_ishl:
        return BY_NOTHING;
    case IR_OP_imin:
    case IR_OP_imax:
    case IR_OP_iabs:
    case IR_OP_ishr:
    case IR_OP_ilt:
    case IR_OP_ige:
        return BY_SIGN;
    case IR_OP_umin:
    case IR_OP_umax:
    case IR_OP_ushr:
    case IR_OP_ult:
    case IR_OP_uge:
    case IR_OP_ieq:
    case IR_OP_ine:
        return BY_ZERO;
    default:
        return NOT_NARROWED;
    }
}

static bool is_shift(enum ir_op op)
{
    return op == IR_OP_ishl || op == IR_OP_ishr || op == IR_OP_ushr;
}

static struct ir_value *lower_instr(struct ir_builder *b, struct ir_instr *instr)
{
    enum extension extension = extension_of(instr->op);
    struct ir_value *srcs[2] = {NULL, NULL};
    if (extension == NOT_NARROWED || instr->num_srcs > 2)
        return NULL;
    unsigned bits = ir_src(instr, 0)->bits;
    bool uniform = true;
    for (uint32_t i = 0; i < instr->num_srcs; i++)
        uniform &= !ir_src(instr, i)->divergent;
    const struct ir_target *target = b->shader->target;
    unsigned narrow = target->narrow | (uniform && !instr->def.divergent ? target->narrow_uniform : 0);
    if (ir_src(instr, 0)->comps != 1 || !(narrow & bits))
        return NULL;
    for (uint32_t i = 0; i < instr->num_srcs; i++) {
        struct ir_value *x = ir_src(instr, i);
        if (is_shift(instr->op) && i == 1)
            srcs[i] = ir_iand(b, x, ir_const(b, 32, bits - 1));
        else
            srcs[i] = extension == BY_SIGN ? ir_i2i(b, 32, x) : ir_u2u(b, 32, x);
    }
    struct ir_instr *wide =
        ir_build(b, instr->op, instr->def.bits == 1 ? 1 : 32, 1, instr->num_srcs, srcs, 0, NULL, NULL);
    return instr->def.bits == 1 ? &wide->def : ir_u2u(b, instr->def.bits, &wide->def);
}

bool lower_narrow(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_instrs(shader, lower_instr);
}
