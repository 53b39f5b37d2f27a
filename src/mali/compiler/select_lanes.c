/* Selection of what lanes know of each other: masks, votes, reads of other lanes. */
#include "mali/compiler/select.h"

#define QUAD 1 /* MALI_ISA_FIELD_SUBGROUP: of 4 lanes */
#define WARP 3 /* of 16 */

static uint8_t inactive_of(unsigned reduction, unsigned bits)
{
    const bool is_half = bits == 16;
    switch (reduction) {
    case IR_REDUCTION_imul:
        return is_half ? MALI_ISA_INACTIVE_V2I1 : MALI_ISA_INACTIVE_I1;
    case IR_REDUCTION_imin:
        return is_half ? MALI_ISA_INACTIVE_V2SMAX : MALI_ISA_INACTIVE_SMAX;
    case IR_REDUCTION_imax:
        return is_half ? MALI_ISA_INACTIVE_V2SMIN : MALI_ISA_INACTIVE_SMIN;
    case IR_REDUCTION_umin:
    case IR_REDUCTION_iand:
        return MALI_ISA_INACTIVE_UMAX;
    case IR_REDUCTION_fmul:
        return is_half ? MALI_ISA_INACTIVE_V2F1 : MALI_ISA_INACTIVE_F1;
    case IR_REDUCTION_fmin:
        return is_half ? MALI_ISA_INACTIVE_V2INF : MALI_ISA_INACTIVE_INF;
    case IR_REDUCTION_fmax:
        return is_half ? MALI_ISA_INACTIVE_V2INFN : MALI_ISA_INACTIVE_INFN;
    default:
        return MALI_ISA_INACTIVE_ZERO;
    }
}

/* ---- one value of another lane ---- */

struct read {
    struct mach_operand lane;
    bool is_xor;
    uint8_t group, inactive;
};

static mach_temp read_word(struct select *ctx, struct mach_operand x, const struct read *read)
{
    const mach_temp result =
        SEL_ALU(ctx, MALI_ISA_OP_CLPER_I32, mach_use(mali_sel_move(ctx, x)), mali_sel_bytes(read->lane));
    struct mali_isa_inst *isa = mali_sel_last(ctx);
    isa->field[MALI_ISA_FIELD_SUBGROUP] = read->group;
    isa->field[MALI_ISA_FIELD_LANE_OP] = read->is_xor ? MALI_ISA_LANE_OP_XOR : MALI_ISA_LANE_OP_NONE;
    isa->field[MALI_ISA_FIELD_INACTIVE] = read->inactive;
    return result;
}

static void select_read(struct select *ctx, const struct ir_instr *instr, struct read read)
{
    const unsigned words = instr->def.bits == 64 ? 2 : 1;
    mach_temp *regs = mach_alloc(ctx->m.program, words * sizeof(*regs));
    for (unsigned i = 0; i < words; i++)
        regs[i] = read_word(ctx, mali_sel_operand(ctx, ir_src(instr, 0), i), &read);
    mach_select_set(&ctx->m, &instr->def, regs);
}

/* The identity of a 64-bit reduction is not two words that an instruction can give: the lane is looked up. */
static void select_wide_read(struct select *ctx, const struct ir_instr *instr, const struct read *read)
{
    const unsigned reduction = ir_imm(instr, IR_IMM_REDUCTION);
    const uint64_t identity = ir_reduction_identity(reduction, 64);
    const struct read one = {read->lane, read->is_xor, WARP, MALI_ISA_INACTIVE_ZERO};
    const mach_temp is_there = read_word(ctx, mach_number(UINT32_MAX), &one);
    mach_temp *regs = mach_alloc(ctx->m.program, 2 * sizeof(*regs));
    for (unsigned i = 0; i < 2; i++) {
        const mach_temp word = read_word(ctx, mali_sel_operand(ctx, ir_src(instr, 0), i), &one);
        regs[i] = mali_sel_choose(ctx, mach_use(is_there), mach_use(word), mach_number((uint32_t)(identity >> 32 * i)));
    }
    mach_select_set(&ctx->m, &instr->def, regs);
}

static mach_temp lane_id(struct select *ctx)
{
    return mali_sel_move(ctx, vir_special(VIR_LANE_ID));
}

/* ---- masks ---- */

static mach_temp mask(struct select *ctx, struct mach_operand condition)
{
    return SEL_ALU(ctx, MALI_ISA_OP_WMASK, mach_use(mali_sel_move(ctx, condition)));
}

/* The number of the lowest lane that is active. */
static mach_temp first_lane(struct select *ctx)
{
    const mach_temp active = mask(ctx, mach_number(UINT32_MAX));
    const mach_temp reversed = SEL_ALU(ctx, MALI_ISA_OP_BITREV_I32, mach_use(active));
    return SEL_ALU(ctx, MALI_ISA_OP_CLZ_U32, mach_use(reversed));
}

static mach_temp is_none(struct select *ctx, mach_temp x)
{
    return mali_sel_compare(ctx, MALI_ISA_OP_ICMP_OR_U32, MALI_ISA_COND_EQ, mach_use(x), mach_number(0));
}

static mach_temp is_not(struct select *ctx, mach_temp x)
{
    const mach_temp result = mali_sel_or(ctx, mach_use(x), mach_number(0));
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_NOT_RESULT] = 1;
    return result;
}

/* Whether a value is the first lane's. */
static mach_temp differs_from_first(struct select *ctx, const struct ir_instr *instr)
{
    const struct ir_value *x = ir_src(instr, 0);
    const struct read read = {mach_use(first_lane(ctx)), false, WARP, MALI_ISA_INACTIVE_ZERO};
    mach_temp differs = 0;
    for (unsigned i = 0; i < (x->bits == 64 ? 2u : 1u); i++) {
        const struct mach_operand own = mali_sel_operand(ctx, x, i);
        const mach_temp first = read_word(ctx, own, &read);
        const bool is_float = ir_imm(instr, IR_IMM_IS_FLOAT), is_half = x->bits == 16 && is_float;
        struct mach_operand a = own, b = mach_use(first);
        if (x->bits < 32 && x->bits > 1 && !is_float) {
            a = mach_use(mali_sel_shift_left(ctx, a, 32 - x->bits));
            b = mach_use(mali_sel_shift_left(ctx, b, 32 - x->bits));
        }
        const mach_temp word = is_float ? is_not(ctx, mali_sel_compare(ctx, MALI_ISA_OP_FCMP_OR_F32, MALI_ISA_COND_EQ,
                                                                       is_half ? sel_part(a, MALI_ISA_HALF_H0) : a,
                                                                       is_half ? sel_part(b, MALI_ISA_HALF_H0) : b))
                                        : mali_sel_compare(ctx, MALI_ISA_OP_ICMP_OR_U32, MALI_ISA_COND_NE, a, b);
        differs = differs ? mali_sel_or(ctx, mach_use(differs), mach_use(word)) : word;
    }
    return differs;
}

static void set_result(struct select *ctx, const struct ir_instr *instr, mach_temp reg)
{
    mach_select_set_one(&ctx->m, &instr->def, reg);
}

static void set_mask(struct select *ctx, const struct ir_instr *instr, mach_temp low)
{
    mach_temp *regs = mach_alloc(ctx->m.program, 2 * sizeof(*regs));
    regs[0] = low;
    regs[1] = mali_sel_number(ctx, 0);
    mach_select_set(&ctx->m, &instr->def, regs);
}

static bool select_mask(struct select *ctx, const struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_ballot:
        set_mask(ctx, instr, mask(ctx, mali_sel_operand(ctx, ir_src(instr, 0), 0)));
        return true;
    case IR_OP_ballot_high:
        set_mask(ctx, instr, mali_sel_number(ctx, 0));
        return true;
    case IR_OP_active_mask:
        set_mask(ctx, instr, mask(ctx, mach_number(UINT32_MAX)));
        return true;
    case IR_OP_elect:
        set_result(ctx, instr,
                   mali_sel_compare(ctx, MALI_ISA_OP_ICMP_OR_U32, MALI_ISA_COND_EQ, mach_use(first_lane(ctx)),
                                    mach_use(lane_id(ctx))));
        return true;
    case IR_OP_vote_any:
        set_result(ctx, instr, is_not(ctx, is_none(ctx, mask(ctx, mali_sel_operand(ctx, ir_src(instr, 0), 0)))));
        return true;
    case IR_OP_vote_all:
        set_result(
            ctx, instr,
            is_none(ctx,
                    mask(ctx, mach_use(is_not(ctx, mali_sel_move(ctx, mali_sel_operand(ctx, ir_src(instr, 0), 0)))))));
        return true;
    case IR_OP_vote_eq:
        set_result(ctx, instr, is_none(ctx, mask(ctx, mach_use(differs_from_first(ctx, instr)))));
        return true;
    default:
        return false;
    }
}

/* ---- which lane ---- */

static mach_temp sum_with_lane(struct select *ctx, const struct ir_instr *instr, bool is_less)
{
    return SEL_ALU(ctx, is_less ? MALI_ISA_OP_ISUB_U32 : MALI_ISA_OP_IADD_U32, mach_use(lane_id(ctx)),
                   mali_sel_operand(ctx, ir_src(instr, 1), 0));
}

/* Within a cluster the upper bits of the lane stay. */
static mach_temp rotated(struct select *ctx, const struct ir_instr *instr)
{
    const unsigned cluster = ir_imm(instr, IR_IMM_CLUSTER);
    const mach_temp lane = sum_with_lane(ctx, instr, false);
    if (!cluster || cluster >= 16)
        return lane;
    const mach_temp result = SEL_ALU(ctx, MALI_ISA_OP_MUX_I32, mach_use(lane), mach_use(lane_id(ctx)),
                                     mach_use(mali_sel_number(ctx, cluster - 1)));
    mali_sel_last(ctx)->field[MALI_ISA_FIELD_MUX] = MALI_ISA_MUX_BIT;
    return result;
}

bool mali_select_lanes(struct select *ctx, const struct ir_instr *instr)
{
    struct read read = {.group = WARP};
    if (select_mask(ctx, instr))
        return true;
    switch (instr->op) {
    case IR_OP_lane_read:
        read.lane = mali_sel_operand(ctx, ir_src(instr, 1), 0);
        read.is_xor = ir_imm(instr, IR_IMM_DIRECTION) == 1;
        read.inactive = inactive_of(ir_imm(instr, IR_IMM_REDUCTION), instr->def.bits);
        if (instr->def.bits == 64) {
            select_wide_read(ctx, instr, &read);
            return true;
        }
        break;
    case IR_OP_read_first:
        read.lane = mach_use(first_lane(ctx));
        break;
    case IR_OP_read_lane:
    case IR_OP_shuffle:
        read.lane = mali_sel_operand(ctx, ir_src(instr, 1), 0);
        break;
    case IR_OP_shuffle_xor:
        read.lane = mali_sel_operand(ctx, ir_src(instr, 1), 0);
        read.is_xor = true;
        break;
    case IR_OP_shuffle_up:
        read.lane = mach_use(sum_with_lane(ctx, instr, true));
        break;
    case IR_OP_shuffle_down:
        read.lane = mach_use(sum_with_lane(ctx, instr, false));
        break;
    case IR_OP_rotate:
        read.lane = mach_use(rotated(ctx, instr));
        break;
    case IR_OP_quad_read:
        read.lane = mali_sel_operand(ctx, ir_src(instr, 1), 0);
        read.group = QUAD;
        break;
    case IR_OP_quad_swap:
        read.lane = mach_number(ir_imm(instr, IR_IMM_DIRECTION) + 1);
        read.is_xor = true;
        read.group = QUAD;
        break;
    default:
        return false;
    }
    select_read(ctx, instr, read);
    return true;
}
