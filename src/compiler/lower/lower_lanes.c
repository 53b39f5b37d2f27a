/* Reductions and scans of integers of 8 and 16 bits in 32 bits. See lower.h. */
#include "compiler/lower/lower.h"

static bool is_float_reduction(uint32_t reduction)
{
    return reduction == IR_REDUCTION_fadd || reduction == IR_REDUCTION_fmul || reduction == IR_REDUCTION_fmin ||
           reduction == IR_REDUCTION_fmax;
}

static bool is_reduction(const struct ir_instr *instr)
{
    return instr->op == IR_OP_reduce || instr->op == IR_OP_scan_inclusive || instr->op == IR_OP_scan_exclusive;
}

static struct ir_value *widen_lanes(struct ir_builder *b, struct ir_instr *instr)
{
    if (!is_reduction(instr))
        return NULL;
    struct ir_value *x = ir_src(instr, 0);
    uint32_t reduction = ir_imm(instr, IR_IMM_REDUCTION);
    if (x->bits >= 32 || x->bits == 1 || is_float_reduction(reduction))
        return NULL;
    bool is_signed = reduction == IR_REDUCTION_imin || reduction == IR_REDUCTION_imax;
    struct ir_value *wide = is_signed ? ir_i2i(b, 32, x) : ir_u2u(b, 32, x);
    struct ir_value *result = &ir_build(b, instr->op, 32, 1, 1, &wide, 0, NULL, instr->imm)->def;
    /* The first lane's number of an exclusive scan is one of 32 bits that the narrow ones do not have. */
    int64_t largest = (1ll << (x->bits - 1)) - 1;
    if (instr->op == IR_OP_scan_exclusive && reduction == IR_REDUCTION_imin)
        result = ir_imin(b, result, ir_const(b, 32, (uint64_t)largest));
    if (instr->op == IR_OP_scan_exclusive && reduction == IR_REDUCTION_imax)
        result = ir_imax(b, result, ir_const(b, 32, (uint64_t)(-largest - 1)));
    return ir_u2u(b, x->bits, result);
}

bool lower_lanes(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_instrs(shader, widen_lanes);
}
