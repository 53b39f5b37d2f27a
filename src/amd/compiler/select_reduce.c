/* Reductions and scans over the lanes of a wave, where no lane is elsewhere (lower_amd_lanes.c made loops of the
 * others): the vector unit runs with all lanes switched on, those that are not active hold the neutral element, and
 * neighbours combine over growing distances. */
#include <string.h>

#include "amd/compiler/select.h"

#define DPP_QUAD_PERM(a, b, c, d) ((a) | (b) << 2 | (c) << 4 | (d) << 6)
#define DPP_ROW_SHR(n) (0x110 + (n))
#define DPP_ROW_MIRROR 0x140
#define DPP_ROW_HALF_MIRROR 0x141

/* A value of one or two dwords. */
struct wide {
    mir_temp part[2];
};

struct reduction {
    uint32_t op; /* enum ir_reduction */
    unsigned bits;
};

static unsigned parts_of(const struct reduction *r)
{
    return r->bits == 64 ? 2 : 1;
}

static uint64_t identity(const struct reduction *r)
{
    switch (r->op) {
    case IR_REDUCTION_imul:
        return 1;
    case IR_REDUCTION_imin:
        return r->bits == 64 ? INT64_MAX : INT32_MAX;
    case IR_REDUCTION_imax:
        return r->bits == 64 ? (uint64_t)INT64_MIN : 0x80000000u;
    case IR_REDUCTION_umin:
    case IR_REDUCTION_iand:
        return UINT64_MAX;
    case IR_REDUCTION_fadd:
        return r->bits == 16 ? 0x8000 : r->bits == 32 ? 0x80000000u : 1ull << 63;
    case IR_REDUCTION_fmul:
        return r->bits == 16 ? 0x3c00 : r->bits == 32 ? 0x3f800000 : 0x3ff0000000000000ull;
    case IR_REDUCTION_fmin:
        return r->bits == 16 ? 0x7c00 : r->bits == 32 ? 0x7f800000 : 0x7ff0000000000000ull;
    case IR_REDUCTION_fmax:
        return r->bits == 16 ? 0xfc00 : r->bits == 32 ? 0xff800000u : 0xfff0000000000000ull;
    default:
        return 0;
    }
}

/* ---- one step ---- */

static unsigned op_of(const struct reduction *r)
{
    static const uint16_t ops[][3] = {
        /* 16, 32, 64 bits; 0: by hand. Narrow integers are 32 bits wide by now. */
        [IR_REDUCTION_iadd] = {ISA_OP_V_ADD_NC_U16, ISA_OP_V_ADD_NC_U32, 0},
        [IR_REDUCTION_imul] = {ISA_OP_V_MUL_LO_U16, ISA_OP_V_MUL_LO_U32, 0},
        [IR_REDUCTION_imin] = {ISA_OP_V_MIN_I16, ISA_OP_V_MIN_I32, 0},
        [IR_REDUCTION_imax] = {ISA_OP_V_MAX_I16, ISA_OP_V_MAX_I32, 0},
        [IR_REDUCTION_umin] = {ISA_OP_V_MIN_U16, ISA_OP_V_MIN_U32, 0},
        [IR_REDUCTION_umax] = {ISA_OP_V_MAX_U16, ISA_OP_V_MAX_U32, 0},
        [IR_REDUCTION_iand] = {ISA_OP_V_AND_B32, ISA_OP_V_AND_B32, 0},
        [IR_REDUCTION_ior] = {ISA_OP_V_OR_B32, ISA_OP_V_OR_B32, 0},
        [IR_REDUCTION_ixor] = {ISA_OP_V_XOR_B32, ISA_OP_V_XOR_B32, 0},
        [IR_REDUCTION_fadd] = {ISA_OP_V_ADD_F16, ISA_OP_V_ADD_F32, ISA_OP_V_ADD_F64},
        [IR_REDUCTION_fmul] = {ISA_OP_V_MUL_F16, ISA_OP_V_MUL_F32, ISA_OP_V_MUL_F64},
        [IR_REDUCTION_fmin] = {ISA_OP_V_MIN_F16, ISA_OP_V_MIN_F32, ISA_OP_V_MIN_F64},
        [IR_REDUCTION_fmax] = {ISA_OP_V_MAX_F16, ISA_OP_V_MAX_F32, ISA_OP_V_MAX_F64},
    };
    return ops[r->op][r->bits == 64 ? 2 : r->bits == 32 ? 1 : 0];
}

static struct wide add_64(struct select *ctx, struct wide a, struct wide b)
{
    struct wide sum;
    mir_temp carry = amd_sel_temp(ctx, ctx->program->lane_mask), none = amd_sel_temp(ctx, ctx->program->lane_mask);
    for (unsigned i = 0; i < 2; i++) {
        a.part[i] = amd_sel_to_vgpr(ctx, a.part[i]);
        sum.part[i] = amd_sel_temp(ctx, MIR_V(1));
    }
    struct mir_instr *low = amd_sel_instr(ctx, ISA_OP_V_ADD_CO_U32, 2, 2), *high;
    low->defs[0] = mir_result(sum.part[0]);
    low->defs[1] = mir_result(carry);
    low->operands[0] = mir_use(a.part[0]);
    low->operands[1] = mir_use(b.part[0]);
    high = amd_sel_instr(ctx, ISA_OP_V_ADD_CO_CI_U32, 2, 3);
    high->defs[0] = mir_result(sum.part[1]);
    high->defs[1] = mir_result(none);
    high->operands[0] = mir_use(a.part[1]);
    high->operands[1] = mir_use(b.part[1]);
    high->operands[2] = mir_use(carry);
    return sum;
}

static struct wide multiply_64(struct select *ctx, struct wide a, struct wide b)
{
    struct mir_operand x[2] = {mir_use(a.part[0]), mir_use(a.part[1])}, y[2] = {mir_use(b.part[0]), mir_use(b.part[1])};
    struct wide r = {{amd_sel_vop2(ctx, ISA_OP_V_MUL_LO_U32, x[0], y[0]), 0}};
    mir_temp high = amd_sel_vop2(ctx, ISA_OP_V_MUL_HI_U32, x[0], y[0]),
             p = amd_sel_vop2(ctx, ISA_OP_V_MUL_LO_U32, x[0], y[1]);
    mir_temp q = amd_sel_vop2(ctx, ISA_OP_V_MUL_LO_U32, x[1], y[0]);
    r.part[1] = amd_sel_vop3(ctx, ISA_OP_V_ADD3_U32, mir_use(high), mir_use(p), mir_use(q));
    return r;
}

static struct wide choose_64(struct select *ctx, uint32_t op, struct wide a, struct wide b)
{
    bool is_signed = op == IR_REDUCTION_imin || op == IR_REDUCTION_imax,
         min = op == IR_REDUCTION_imin || op == IR_REDUCTION_umin;
    mir_temp x = amd_sel_vector(ctx, true, 2, a.part), y = amd_sel_vector(ctx, true, 2, b.part);
    mir_temp less = amd_sel_vopc(ctx, is_signed ? ISA_OP_V_CMP_LT_I64 : ISA_OP_V_CMP_LT_U64, mir_use(x), mir_use(y));
    struct wide r;
    for (unsigned i = 0; i < 2; i++) {
        struct mir_operand yes = mir_use(min ? a.part[i] : b.part[i]), no = mir_use(min ? b.part[i] : a.part[i]);
        r.part[i] = amd_sel_vop3(ctx, ISA_OP_V_CNDMASK_B32, no, yes, mir_use(less));
    }
    return r;
}

/* `b` is in VGPRs, `a` may be scalar. */
static struct wide combine_wide(struct select *ctx, const struct reduction *r, struct wide a, struct wide b)
{
    unsigned op = op_of(r);
    if (parts_of(r) == 1)
        return (struct wide){{amd_sel_vop2(ctx, op, mir_use(a.part[0]), mir_use(b.part[0])), 0}};
    if (op) {
        mir_temp whole = amd_sel_vop2(ctx, op, mir_use(amd_sel_vector(ctx, true, 2, a.part)),
                                      mir_use(amd_sel_vector(ctx, true, 2, b.part)));
        return (struct wide){{amd_sel_dword(ctx, whole, 0), amd_sel_dword(ctx, whole, 1)}};
    }
    switch (r->op) {
    case IR_REDUCTION_iadd:
        return add_64(ctx, a, b);
    case IR_REDUCTION_imul:
        return multiply_64(ctx, a, b);
    case IR_REDUCTION_iand:
    case IR_REDUCTION_ior:
    case IR_REDUCTION_ixor: {
        struct reduction half = {r->op, 32};
        struct wide result;
        for (unsigned i = 0; i < 2; i++)
            result.part[i] = amd_sel_vop2(ctx, op_of(&half), mir_use(a.part[i]), mir_use(b.part[i]));
        return result;
    }
    default:
        return choose_64(ctx, r->op, a, b);
    }
}

/* ---- from other lanes ---- */

/* Lanes whose source lies outside the row keep `old`. */
static struct wide dpp(struct select *ctx, const struct reduction *r, struct wide from, const struct wide *old,
                       unsigned control)
{
    struct wide result = {{0, 0}};
    for (unsigned i = 0; i < parts_of(r); i++) {
        result.part[i] = amd_sel_temp(ctx, MIR_V(1));
        struct mir_instr *instr = amd_sel_instr(ctx, ISA_OP_V_MOV_B32, 1, old ? 2 : 1);
        instr->variant = ISA_VARIANT_DPP16;
        instr->keep_variant = true;
        instr->alu.dpp_ctrl = (uint16_t)control;
        instr->alu.bound_ctrl = old ? 0 : 1;
        instr->defs[0] = mir_result(result.part[i]);
        instr->operands[0] = mir_use(from.part[i]);
        if (old)
            instr->operands[1] = mir_use(old->part[i]);
    }
    return result;
}

/* From the other row of 16: the same lane of it for all (`select` 0: lane 0; all ones: lane 15). */
static struct wide other_row(struct select *ctx, const struct reduction *r, struct wide from, uint32_t select)
{
    struct wide result = {{0, 0}};
    for (unsigned i = 0; i < parts_of(r); i++) {
        result.part[i] = amd_sel_temp(ctx, MIR_V(1));
        struct mir_instr *instr = amd_sel_instr(ctx, ISA_OP_V_PERMLANEX16_B32, 1, 4);
        instr->defs[0] = mir_result(result.part[i]);
        instr->operands[0] = mir_use(from.part[i]);
        instr->operands[1] = mir_const(select);
        instr->operands[2] = mir_const(select);
        instr->operands[3] = mir_use(from.part[i]);
    }
    return result;
}

static struct wide read_lane(struct select *ctx, const struct reduction *r, struct wide from, unsigned lane)
{
    struct wide result = {{0, 0}};
    for (unsigned i = 0; i < parts_of(r); i++) {
        result.part[i] = amd_sel_temp(ctx, MIR_S(1));
        struct mir_instr *read = amd_sel_instr(ctx, ISA_OP_V_READLANE_B32, 1, 2);
        read->defs[0] = mir_result(result.part[i]);
        read->operands[0] = mir_use(from.part[i]);
        read->operands[1] = mir_const(lane);
    }
    return result;
}

static struct wide write_lane(struct select *ctx, const struct reduction *r, struct wide to, struct wide value,
                              unsigned lane)
{
    struct wide result = {{0, 0}};
    for (unsigned i = 0; i < parts_of(r); i++) {
        result.part[i] = amd_sel_temp(ctx, MIR_V(1));
        struct mir_instr *write = amd_sel_instr(ctx, ISA_OP_V_WRITELANE_B32, 1, 3);
        write->defs[0] = mir_result(result.part[i]);
        write->operands[0] = mir_use(value.part[i]);
        write->operands[1] = mir_const(lane);
        write->operands[2] = mir_use(to.part[i]);
    }
    return result;
}

static struct wide pick_wide(struct select *ctx, const struct reduction *r, struct mir_operand mask, struct wide yes,
                             struct wide no)
{
    struct wide result = {{0, 0}};
    for (unsigned i = 0; i < parts_of(r); i++)
        result.part[i] = amd_sel_vop3(ctx, ISA_OP_V_CNDMASK_B32, mir_use(no.part[i]), mir_use(yes.part[i]), mask);
    return result;
}

/* ---- whole operations ---- */

/* The odd rows of 16 lanes. Computed, because a lane mask must be a register: a constant might be put in its place. */
static struct mir_operand odd_rows(struct select *ctx)
{
    mir_temp low = amd_sel_sop2(ctx, ISA_OP_S_BFM_B32, 1, mir_const(16), mir_const(16));
    return mir_use(ctx->wave64 ? amd_sel_vector(ctx, false, 2, (mir_temp[]){low, low}) : low);
}

static struct mir_operand upper_half(struct select *ctx)
{
    return mir_use(amd_sel_sop2(ctx, ISA_OP_S_BFM_B64, 2, mir_const(32), mir_const(32)));
}

static struct wide reduce_lanes(struct select *ctx, const struct reduction *r, struct wide x, unsigned cluster)
{
    static const uint16_t steps[] = {DPP_QUAD_PERM(1, 0, 3, 2), DPP_QUAD_PERM(2, 3, 0, 1), DPP_ROW_HALF_MIRROR,
                                     DPP_ROW_MIRROR};
    for (unsigned i = 0; i < 4 && cluster >= 2u << i; i++)
        x = combine_wide(ctx, r, dpp(ctx, r, x, NULL, steps[i]), x);
    if (cluster >= 32)
        x = combine_wide(ctx, r, other_row(ctx, r, x, 0), x);
    if (cluster == 64) {
        struct wide low = read_lane(ctx, r, x, 0), high = read_lane(ctx, r, x, 63), copy = {{0, 0}};
        for (unsigned i = 0; i < parts_of(r); i++)
            copy.part[i] = amd_sel_to_vgpr(ctx, high.part[i]);
        x = combine_wide(ctx, r, low, copy);
    }
    return x;
}

static struct wide scan_lanes(struct select *ctx, const struct reduction *r, struct wide x, const struct wide *neutral)
{
    for (unsigned distance = 1; distance <= 8; distance *= 2)
        x = combine_wide(ctx, r, dpp(ctx, r, x, neutral, DPP_ROW_SHR(distance)), x);
    struct wide with = combine_wide(ctx, r, other_row(ctx, r, x, UINT32_MAX), x);
    x = pick_wide(ctx, r, odd_rows(ctx), with, x);
    if (ctx->wave64) {
        with = combine_wide(ctx, r, read_lane(ctx, r, x, 31), x);
        x = pick_wide(ctx, r, upper_half(ctx), with, x);
    }
    return x;
}

/* Each lane gets its left neighbour's value; the first one the neutral element. */
static struct wide shift(struct select *ctx, const struct reduction *r, struct wide x, const struct wide *neutral)
{
    struct wide moved = dpp(ctx, r, x, neutral, DPP_ROW_SHR(1));
    for (unsigned lane = 16; lane < ctx->program->wave_size; lane += 16)
        moved = write_lane(ctx, r, moved, read_lane(ctx, r, x, lane - 1), lane);
    return moved;
}

bool amd_sel_reduce(struct select *ctx, struct ir_instr *instr)
{
    if (instr->op != IR_OP_reduce && instr->op != IR_OP_scan_inclusive && instr->op != IR_OP_scan_exclusive)
        return false;
    struct reduction r = {ir_imm(instr, IR_IMM_REDUCTION), instr->def.bits};
    unsigned cluster = instr->op == IR_OP_reduce ? ir_imm(instr, IR_IMM_CLUSTER) : 0;
    if (cluster == 0 || cluster > ctx->program->wave_size)
        cluster = ctx->program->wave_size;
    if (ctx->divergent_depth)
        sel_fail(ctx, "internal: a reduction under divergent control flow was not lowered");

    struct wide x = {{0, 0}}, neutral = {{0, 0}}, values = {{0, 0}};
    uint64_t bits = identity(&r);
    for (unsigned i = 0; i < parts_of(&r); i++)
        values.part[i] = amd_sel_to_vgpr(ctx, amd_sel_value_dword(ctx, ir_src(instr, 0), i));
    mir_temp saved = amd_sel_temp(ctx, ctx->program->lane_mask);
    struct mir_instr *save =
        amd_sel_instr(ctx, ctx->wave64 ? ISA_OP_S_OR_SAVEEXEC_B64 : ISA_OP_S_OR_SAVEEXEC_B32, 1, 1);
    save->defs[0] = mir_result(saved);
    save->operands[0] = amd_sel_mask_const(ctx, true);
    for (unsigned i = 0; i < parts_of(&r); i++) {
        neutral.part[i] = amd_sel_copy(ctx, MIR_V(1), mir_const((uint32_t)(bits >> 32 * i)));
        x.part[i] =
            amd_sel_vop3(ctx, ISA_OP_V_CNDMASK_B32, mir_use(neutral.part[i]), mir_use(values.part[i]), mir_use(saved));
    }
    if (instr->op == IR_OP_reduce)
        x = reduce_lanes(ctx, &r, x, cluster);
    else
        x = scan_lanes(ctx, &r, instr->op == IR_OP_scan_exclusive ? shift(ctx, &r, x, &neutral) : x, &neutral);
    amd_sel_set_exec(ctx, mir_use(saved));
    /* Instructions after this read the result under their own exec; a copy keeps the scheduler from moving it up. */
    amd_sel_define_elems(ctx, &instr->def, parts_of(&r), x.part);
    return true;
}
