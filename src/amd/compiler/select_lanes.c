/* Operations between lanes: ballots, votes, shuffles within a wave or a quad. Reductions and scans are
 * select_reduce.c's. Shuffles that cross the halves of a wave64 were made loops by lower_amd_lanes.c: no instruction of
 * GFX10 does it. */
#include "amd/compiler/select.h"

#define QUAD_PERM(a, b, c, d) ((a) | (b) << 2 | (c) << 4 | (d) << 6)

/* A lane mask as the IR's 64 bits. */
static void define_ballot(struct select *ctx, const struct ir_value *value, mir_temp mask)
{
    if (ctx->wave64) {
        amd_sel_define(ctx, value, amd_sel_place_of(ctx, value) == SEL_VGPR ? amd_sel_to_vgpr(ctx, mask) : mask);
        return;
    }
    bool vector = amd_sel_place_of(ctx, value) == SEL_VGPR;
    amd_sel_define_elems(ctx, value, 2,
                         (mir_temp[]){vector ? amd_sel_to_vgpr(ctx, mask) : mask,
                                      amd_sel_copy(ctx, vector ? MIR_V(1) : MIR_S(1), mir_const(0))});
}

static void inverse_ballot(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *bits = ir_src(instr, 0);
    if (!bits->divergent) {
        mir_temp all = amd_sel_sgpr(ctx, bits);
        amd_sel_define(ctx, &instr->def, ctx->wave64 ? all : amd_sel_dword(ctx, all, 0));
        return;
    }
    mir_temp lane = amd_sel_lane_index(ctx),
             shifted = amd_sel_vop2(ctx, ISA_OP_V_LSHRREV_B64, mir_use(lane), mir_use(amd_sel_vgpr(ctx, bits)));
    mir_temp bit = amd_sel_vop2(ctx, ISA_OP_V_AND_B32, mir_const(1), mir_use(amd_sel_dword(ctx, shifted, 0)));
    amd_sel_define(ctx, &instr->def, amd_sel_vopc(ctx, ISA_OP_V_CMP_NE_U32, mir_const(0), mir_use(bit)));
}

static void elect_lane(struct select *ctx, struct ir_instr *instr)
{
    mir_temp first = amd_sel_sop1(ctx, ctx->wave64 ? ISA_OP_S_FF1_I32_B64 : ISA_OP_S_FF1_I32_B32, 1, amd_sel_exec(ctx));
    struct mir_operand one = ctx->wave64 ? mir_const64(1) : mir_const(1);
    amd_sel_define(ctx, &instr->def,
                   amd_sel_sop2(ctx, ctx->wave64 ? ISA_OP_S_LSHL_B64 : ISA_OP_S_LSHL_B32,
                                ctx->program->lane_mask.dwords, one, mir_use(first)));
}

/* The opposite of scc as a bit. */
static void define_not_scc(struct select *ctx, const struct ir_value *value, mir_temp scc)
{
    unsigned dwords = amd_sel_class_of(ctx, value).dwords;
    if (amd_sel_place_of(ctx, value) == SEL_MASK)
        amd_sel_define(
            ctx, value,
            amd_sel_cselect(ctx, dwords, amd_sel_mask_const(ctx, false), amd_sel_mask_const(ctx, true), scc));
    else
        amd_sel_define(ctx, value, amd_sel_cselect(ctx, 1, mir_const(0), mir_const(1), scc));
}

static void vote_all(struct select *ctx, const struct ir_value *result, struct mir_operand mask)
{
    if (mask.kind == MIR_CONST)
        mask = mir_use(amd_sel_copy(ctx, ctx->program->lane_mask, mask));
    define_not_scc(ctx, result, amd_sel_mask_scc(ctx, SEL_ANDN2, amd_sel_exec(ctx), mask));
}

static void vote_equal(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *x = ir_src(instr, 0);
    bool is_float = ir_imm(instr, IR_IMM_IS_FLOAT);
    mir_temp value = amd_sel_vgpr(ctx, x), first, mask;
    if (x->bits == 8)
        value = amd_sel_vop2(ctx, ISA_OP_V_AND_B32, mir_const(0xff), mir_use(value));
    first = amd_sel_readfirst(ctx, value);
    unsigned op = x->bits == 64   ? (is_float ? ISA_OP_V_CMP_EQ_F64 : ISA_OP_V_CMP_EQ_U64)
                  : x->bits == 16 ? (is_float ? ISA_OP_V_CMP_EQ_F16 : ISA_OP_V_CMP_EQ_U16)
                                  : (is_float ? ISA_OP_V_CMP_EQ_F32 : ISA_OP_V_CMP_EQ_U32);
    mask = amd_sel_vopc(ctx, op, mir_use(first), mir_use(value));
    vote_all(ctx, &instr->def, mir_use(mask));
}

/* ---- moves between lanes, dword by dword ---- */

static mir_temp dpp_move(struct select *ctx, mir_temp from, unsigned control)
{
    mir_temp result = amd_sel_temp(ctx, MIR_V(1));
    struct mir_instr *instr = amd_sel_instr(ctx, ISA_OP_V_MOV_B32, 1, 1);
    instr->variant = ISA_VARIANT_DPP16;
    instr->keep_variant = true;
    instr->alu.dpp_ctrl = (uint16_t)control;
    instr->alu.bound_ctrl = 1;
    instr->defs[0] = mir_result(result);
    instr->operands[0] = mir_use(from);
    return result;
}

static mir_temp swizzle(struct select *ctx, mir_temp from, unsigned offset)
{
    mir_temp result = amd_sel_temp(ctx, MIR_V(1));
    struct mir_instr *instr = amd_sel_instr(ctx, ISA_OP_DS_SWIZZLE_B32, 1, 1);
    instr->defs[0] = mir_result(result);
    instr->operands[0] = mir_use(from);
    instr->mem.offset = (int32_t)offset;
    return result;
}

static mir_temp bpermute(struct select *ctx, mir_temp address, mir_temp from)
{
    mir_temp result = amd_sel_temp(ctx, MIR_V(1));
    struct mir_instr *instr = amd_sel_instr(ctx, ISA_OP_DS_BPERMUTE_B32, 1, 2);
    instr->defs[0] = mir_result(result);
    instr->operands[0] = mir_use(address);
    instr->operands[1] = mir_use(from);
    return result;
}

/* How the lanes move. */
struct move {
    enum {
        MOVE_DPP,
        MOVE_SWIZZLE,
        MOVE_BPERMUTE
    } how;
    unsigned control;
    mir_temp address;
};

static void move_lanes(struct select *ctx, struct ir_instr *instr, const struct move *move)
{
    mir_temp parts[2];
    unsigned count = amd_sel_value_dwords(&instr->def);
    for (unsigned i = 0; i < count; i++) {
        mir_temp from = amd_sel_to_vgpr(ctx, amd_sel_value_dword(ctx, ir_src(instr, 0), i));
        parts[i] = move->how == MOVE_DPP       ? dpp_move(ctx, from, move->control)
                   : move->how == MOVE_SWIZZLE ? swizzle(ctx, from, move->control)
                                               : bpermute(ctx, move->address, from);
    }
    amd_sel_define_elems(ctx, &instr->def, count, parts);
}

static struct move move_to(struct select *ctx, mir_temp lane)
{
    return (struct move){.how = MOVE_BPERMUTE,
                         .address = amd_sel_vop2(ctx, ISA_OP_V_LSHLREV_B32, mir_const(2), mir_use(lane))};
}

static struct move xor_move(struct select *ctx, const struct ir_value *mask)
{
    static const unsigned quads[4] = {QUAD_PERM(0, 1, 2, 3), QUAD_PERM(1, 0, 3, 2), QUAD_PERM(2, 3, 0, 1),
                                      QUAD_PERM(3, 2, 1, 0)};
    if (ir_is_const(mask) && ir_const_u64(mask) < 4)
        return (struct move){.how = MOVE_DPP, .control = quads[ir_const_u64(mask)]};
    if (ir_is_const(mask) && ir_const_u64(mask) < 32)
        return (struct move){.how = MOVE_SWIZZLE, .control = (unsigned)ir_const_u64(mask) << 10 | 0x1f};
    return move_to(ctx, amd_sel_vop2(ctx, ISA_OP_V_XOR_B32, amd_sel_use(ctx, mask), mir_use(amd_sel_lane_index(ctx))));
}

static struct move rotate_move(struct select *ctx, struct ir_instr *instr)
{
    uint32_t cluster = ir_imm(instr, IR_IMM_CLUSTER) ? ir_imm(instr, IR_IMM_CLUSTER) : ctx->program->wave_size;
    mir_temp lane = amd_sel_lane_index(ctx),
             sum = amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, amd_sel_use(ctx, ir_src(instr, 1)), mir_use(lane));
    return move_to(ctx, amd_sel_vop3(ctx, ISA_OP_V_BFI_B32, mir_const(cluster - 1), mir_use(sum), mir_use(lane)));
}

static struct move quad_move(struct select *ctx, struct ir_instr *instr)
{
    static const unsigned swaps[3] = {QUAD_PERM(1, 0, 3, 2), QUAD_PERM(2, 3, 0, 1), QUAD_PERM(3, 2, 1, 0)};
    if (instr->op == IR_OP_quad_swap)
        return (struct move){.how = MOVE_DPP, .control = swaps[ir_imm(instr, IR_IMM_DIRECTION) % 3]};
    const struct ir_value *index = ir_src(instr, 1);
    if (ir_is_const(index)) {
        unsigned i = (unsigned)ir_const_u64(index) & 3;
        return (struct move){.how = MOVE_DPP, .control = QUAD_PERM(i, i, i, i)};
    }
    return move_to(ctx, amd_sel_vop3(ctx, ISA_OP_V_BFI_B32, mir_const(3), amd_sel_use(ctx, index),
                                     mir_use(amd_sel_lane_index(ctx))));
}

static struct move shuffle_move(struct select *ctx, struct ir_instr *instr)
{
    struct mir_operand by = amd_sel_use(ctx, ir_src(instr, 1));
    switch (instr->op) {
    case IR_OP_shuffle_up:
        return move_to(ctx, amd_sel_vop2(ctx, ISA_OP_V_SUB_NC_U32, mir_use(amd_sel_lane_index(ctx)), by));
    case IR_OP_shuffle_down:
        return move_to(ctx, amd_sel_vop2(ctx, ISA_OP_V_ADD_NC_U32, by, mir_use(amd_sel_lane_index(ctx))));
    default:
        return move_to(ctx, amd_sel_vgpr(ctx, ir_src(instr, 1)));
    }
}

static void read_lane(struct select *ctx, struct ir_instr *instr)
{
    mir_temp parts[2], lane = amd_sel_sgpr(ctx, ir_src(instr, 1));
    unsigned count = amd_sel_value_dwords(&instr->def);
    for (unsigned i = 0; i < count; i++) {
        mir_temp from = amd_sel_to_vgpr(ctx, amd_sel_value_dword(ctx, ir_src(instr, 0), i));
        parts[i] = amd_sel_temp(ctx, MIR_S(1));
        struct mir_instr *read = amd_sel_instr(ctx, ISA_OP_V_READLANE_B32, 1, 2);
        read->defs[0] = mir_result(parts[i]);
        read->operands[0] = mir_use(from);
        read->operands[1] = mir_use(lane);
    }
    amd_sel_define_elems(ctx, &instr->def, count, parts);
}

static void read_first(struct select *ctx, struct ir_instr *instr)
{
    mir_temp parts[2];
    unsigned count = amd_sel_value_dwords(&instr->def);
    for (unsigned i = 0; i < count; i++)
        parts[i] = amd_sel_readfirst(ctx, amd_sel_value_dword(ctx, ir_src(instr, 0), i));
    amd_sel_define_elems(ctx, &instr->def, count, parts);
}

static void count_below(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *mask = ir_src(instr, 0);
    mir_temp count = amd_sel_vop2(ctx, ISA_OP_V_MBCNT_LO_U32_B32, amd_sel_use_dword(ctx, mask, 0),
                                  amd_sel_use(ctx, ir_src(instr, 1)));
    if (ctx->wave64)
        count = amd_sel_vop2(ctx, ISA_OP_V_MBCNT_HI_U32_B32, amd_sel_use_dword(ctx, mask, 1), mir_use(count));
    amd_sel_define(ctx, &instr->def, count);
}

bool amd_sel_lanes(struct select *ctx, struct ir_instr *instr)
{
    struct move move;
    switch (instr->op) {
    case IR_OP_ballot:
        define_ballot(ctx, &instr->def,
                      amd_sel_mask2(ctx, SEL_AND, amd_sel_exec(ctx), amd_sel_mask(ctx, ir_src(instr, 0))));
        return true;
    case IR_OP_active_mask:
        define_ballot(ctx, &instr->def, amd_sel_copy(ctx, ctx->program->lane_mask, amd_sel_exec(ctx)));
        return true;
    case IR_OP_inverse_ballot:
        inverse_ballot(ctx, instr);
        return true;
    case IR_OP_elect:
        elect_lane(ctx, instr);
        return true;
    case IR_OP_vote_all:
        vote_all(ctx, &instr->def, amd_sel_mask(ctx, ir_src(instr, 0)));
        return true;
    case IR_OP_vote_any:
        amd_sel_define_scc(ctx, &instr->def,
                           amd_sel_mask_scc(ctx, SEL_AND, amd_sel_exec(ctx), amd_sel_mask(ctx, ir_src(instr, 0))));
        return true;
    case IR_OP_vote_eq:
        vote_equal(ctx, instr);
        return true;
    case IR_OP_read_first:
        read_first(ctx, instr);
        return true;
    case IR_OP_read_lane:
        read_lane(ctx, instr);
        return true;
    case IR_OP_mbcnt:
        count_below(ctx, instr);
        return true;
    case IR_OP_shuffle:
    case IR_OP_shuffle_up:
    case IR_OP_shuffle_down:
        move = shuffle_move(ctx, instr);
        break;
    case IR_OP_shuffle_xor:
        move = xor_move(ctx, ir_src(instr, 1));
        break;
    case IR_OP_rotate:
        move = rotate_move(ctx, instr);
        break;
    case IR_OP_quad_read:
    case IR_OP_quad_swap:
        move = quad_move(ctx, instr);
        break;
    default:
        return false;
    }
    move_lanes(ctx, instr, &move);
    return true;
}
