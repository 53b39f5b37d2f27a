/* Arithmetic that A6xx makes of several instructions, where the parts are worth optimising. See lower_adreno.h. */
#include "adreno/compiler/lower_adreno.h"

#include <math.h>

#include "compiler/ir/opt.h"

/* ---- angles ---- */

/* To half a turn on either side of zero. */
static struct ir_value *in_range(struct ir_builder *b, struct ir_value *angle)
{
    const unsigned bits = angle->bits;
    struct ir_value *turns = ir_ffma(b, angle, ir_const_f(b, bits, 0.5 / M_PI), ir_const_f(b, bits, 0.5));
    return ir_ffma(b, ir_ffract(b, turns), ir_const_f(b, bits, 2 * M_PI), ir_const_f(b, bits, -M_PI));
}

/* Of up to 24 bits: one instruction multiplies them. */
static bool is_small_factor(const struct ir_builder *b, const struct ir_value *x)
{
    return ir_upper_bound(b->shader, x) < 1u << 24;
}

static bool is_read_once(const struct ir_value *value)
{
    return value->uses.next != &value->uses && value->uses.next->next == &value->uses;
}

/* Parts that have no bit in common: one instruction shifts and makes an or of it, as of the ids of workgroup and
 * invocation. */
static struct ir_value *join_parts(struct ir_builder *b, struct ir_instr *sum)
{
    for (unsigned i = 0; i < 2 && sum->def.bits == 32 && sum->def.comps == 1; i++) {
        const struct ir_value *part = ir_src(sum, i), *other = ir_src(sum, 1 - i);
        const struct ir_instr *shift = ir_is_const(part) ? NULL : ir_def_instr(part);
        if (shift && shift->op == IR_OP_ishl && ir_is_const(ir_src(shift, 1)) && is_read_once(part) &&
            ir_upper_bound(b->shader, other) < 1ull << (ir_const_u64(ir_src(shift, 1)) & 31))
            return ir_ior(b, ir_src(sum, 0), ir_src(sum, 1));
    }
    return NULL;
}

static struct ir_value *lower_instr(struct ir_builder *b, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_iadd:
        return join_parts(b, instr);
    case IR_OP_imul:
        return instr->def.bits == 32 && is_small_factor(b, ir_src(instr, 0)) && is_small_factor(b, ir_src(instr, 1))
                   ? ir_umul24(b, ir_src(instr, 0), ir_src(instr, 1))
                   : NULL;
    case IR_OP_fsin:
        return ir_fsin(b, in_range(b, ir_src(instr, 0)));
    case IR_OP_fcos:
        return ir_fcos(b, in_range(b, ir_src(instr, 0)));
    case IR_OP_pkrtz:
        return ir_pack32(b, ir_f2f(b, 16, ir_src(instr, 0), IR_ROUNDING_zero),
                         ir_f2f(b, 16, ir_src(instr, 1), IR_ROUNDING_zero));
    default:
        return NULL;
    }
}

bool adreno_lower_alu(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_instrs(shader, lower_instr);
}

/* ---- lanes that agree ---- */

static struct ir_value *lower_vote(struct ir_builder *b, struct ir_instr *instr)
{
    if (!instr->num_srcs || ir_src(instr, 0)->divergent)
        return NULL;
    switch (instr->op) {
    case IR_OP_vote_eq: /* a float that is no number is not even equal to itself */
        return ir_imm(instr, IR_IMM_IS_FLOAT) ? NULL : ir_true(b);
    case IR_OP_vote_all:
    case IR_OP_vote_any:
    case IR_OP_read_first:
    case IR_OP_read_lane:
    case IR_OP_shuffle:
    case IR_OP_shuffle_xor:
    case IR_OP_shuffle_up:
    case IR_OP_shuffle_down:
        return ir_src(instr, 0);
    default:
        return NULL;
    }
}

bool adreno_lower_uniform(struct ir_shader *shader, const void *options)
{
    (void)options;
    return lower_instrs(shader, lower_vote);
}
