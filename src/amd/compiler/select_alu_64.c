/* Integers of 64 bits from 32-bit instructions, and the parts of double arithmetic that take several. */
#include "amd/compiler/select.h"

static bool is_scalar(const struct select *ctx, const struct ir_instr *instr)
{
    return amd_sel_place_of(ctx, &instr->def) == SEL_SGPR;
}

/* A pair of additions or subtractions with the carry between them. */
static void add_pair(struct select *ctx, const struct ir_value *result, bool subtract, const struct mir_operand a[2],
                     const struct mir_operand b[2])
{
    mir_temp parts[2];
    if (amd_sel_place_of(ctx, result) == SEL_SGPR) {
        mir_temp scc = amd_sel_sop2_scc(ctx, subtract ? ISA_OP_S_SUB_U32 : ISA_OP_S_ADD_U32, 1, a[0], b[0], &parts[0]);
        parts[1] = amd_sel_temp(ctx, MIR_S(1));
        struct mir_instr *high = amd_sel_instr(ctx, subtract ? ISA_OP_S_SUBB_U32 : ISA_OP_S_ADDC_U32, 1, 3);
        high->defs[0] = mir_result(parts[1]);
        high->operands[0] = a[1];
        high->operands[1] = b[1];
        high->operands[2] = mir_fixed(scc, MIR_REG_SCC);
        amd_sel_define_elems(ctx, result, 2, parts);
        return;
    }
    mir_temp carry = amd_sel_temp(ctx, ctx->program->lane_mask), none = amd_sel_temp(ctx, ctx->program->lane_mask);
    struct mir_operand high_a =
        a[1].kind == MIR_TEMP && amd_sel_is_vector(ctx, a[1].temp) ? a[1] : mir_use(amd_sel_copy(ctx, MIR_V(1), a[1]));
    struct mir_operand high_b =
        b[1].kind == MIR_TEMP && amd_sel_is_vector(ctx, b[1].temp) ? b[1] : mir_use(amd_sel_copy(ctx, MIR_V(1), b[1]));
    struct mir_operand low_a = a[0].kind == MIR_CONST ? mir_use(amd_sel_copy(ctx, MIR_V(1), a[0])) : a[0];
    struct mir_operand low_b = b[0].kind == MIR_CONST ? mir_use(amd_sel_copy(ctx, MIR_V(1), b[0])) : b[0];
    parts[0] = amd_sel_temp(ctx, MIR_V(1));
    parts[1] = amd_sel_temp(ctx, MIR_V(1));
    struct mir_instr *low = amd_sel_instr(ctx, subtract ? ISA_OP_V_SUB_CO_U32 : ISA_OP_V_ADD_CO_U32, 2, 2);
    low->defs[0] = mir_result(parts[0]);
    low->defs[1] = mir_result(carry);
    low->operands[0] = low_a;
    low->operands[1] = low_b;
    struct mir_instr *high = amd_sel_instr(ctx, subtract ? ISA_OP_V_SUB_CO_CI_U32 : ISA_OP_V_ADD_CO_CI_U32, 2, 3);
    high->defs[0] = mir_result(parts[1]);
    high->defs[1] = mir_result(none);
    high->operands[0] = high_a;
    high->operands[1] = high_b;
    high->operands[2] = mir_use(carry);
    amd_sel_define_elems(ctx, result, 2, parts);
}

static void add_64(struct select *ctx, struct ir_instr *instr)
{
    struct mir_operand a[2], b[2];
    bool negate = instr->op == IR_OP_ineg;
    const struct ir_value *x = ir_src(instr, 0), *y = negate ? x : ir_src(instr, 1);
    for (unsigned i = 0; i < 2; i++) {
        a[i] = negate ? mir_const(0) : amd_sel_use_dword(ctx, x, i);
        b[i] = amd_sel_use_dword(ctx, y, i);
        if (is_scalar(ctx, instr) && a[i].kind == MIR_CONST)
            a[i] = mir_use(amd_sel_copy(ctx, MIR_S(1), a[i]));
    }
    add_pair(ctx, &instr->def, instr->op != IR_OP_iadd, a, b);
}

static void multiply_64(struct select *ctx, struct ir_instr *instr)
{
    struct mir_operand a[2], b[2];
    for (unsigned i = 0; i < 2; i++) {
        a[i] = amd_sel_use_dword(ctx, ir_src(instr, 0), i);
        b[i] = amd_sel_use_dword(ctx, ir_src(instr, 1), i);
    }
    if (is_scalar(ctx, instr)) {
        mir_temp low = amd_sel_sop2(ctx, ISA_OP_S_MUL_I32, 1, a[0], b[0]),
                 high = amd_sel_sop2(ctx, ISA_OP_S_MUL_HI_U32, 1, a[0], b[0]);
        mir_temp x = amd_sel_sop2(ctx, ISA_OP_S_MUL_I32, 1, a[0], b[1]),
                 y = amd_sel_sop2(ctx, ISA_OP_S_MUL_I32, 1, a[1], b[0]);
        mir_temp sum = amd_sel_sop2(ctx, ISA_OP_S_ADD_U32, 1, mir_use(high), mir_use(x));
        amd_sel_define_elems(ctx, &instr->def, 2,
                             (mir_temp[]){low, amd_sel_sop2(ctx, ISA_OP_S_ADD_U32, 1, mir_use(sum), mir_use(y))});
        return;
    }
    mir_temp low = amd_sel_vop2(ctx, ISA_OP_V_MUL_LO_U32, a[0], b[0]),
             high = amd_sel_vop2(ctx, ISA_OP_V_MUL_HI_U32, a[0], b[0]);
    mir_temp x = amd_sel_vop2(ctx, ISA_OP_V_MUL_LO_U32, a[0], b[1]),
             y = amd_sel_vop2(ctx, ISA_OP_V_MUL_LO_U32, a[1], b[0]);
    amd_sel_define_elems(
        ctx, &instr->def, 2,
        (mir_temp[]){low, amd_sel_vop3(ctx, ISA_OP_V_ADD3_U32, mir_use(high), mir_use(x), mir_use(y))});
}

/* Bit by bit: each half for itself. */
static void halves_64(struct select *ctx, struct ir_instr *instr)
{
    unsigned op = instr->op == IR_OP_iand   ? ISA_OP_V_AND_B32
                  : instr->op == IR_OP_ior  ? ISA_OP_V_OR_B32
                  : instr->op == IR_OP_ixor ? ISA_OP_V_XOR_B32
                                            : ISA_OP_V_NOT_B32;
    mir_temp parts[2];
    for (unsigned i = 0; i < 2; i++) {
        struct mir_operand a = amd_sel_use_dword(ctx, ir_src(instr, 0), i);
        parts[i] = instr->num_srcs == 1 ? amd_sel_vop1(ctx, op, a)
                                        : amd_sel_vop2(ctx, op, a, amd_sel_use_dword(ctx, ir_src(instr, 1), i));
    }
    amd_sel_define_elems(ctx, &instr->def, 2, parts);
}

static void reverse_64(struct select *ctx, struct ir_instr *instr)
{
    mir_temp parts[2];
    for (unsigned i = 0; i < 2; i++)
        parts[i] = amd_sel_vop1(ctx, ISA_OP_V_BFREV_B32, amd_sel_use_dword(ctx, ir_src(instr, 0), 1 - i));
    amd_sel_define_elems(ctx, &instr->def, 2, parts);
}

static void count_64(struct select *ctx, struct ir_instr *instr)
{
    mir_temp low = amd_sel_vop2(ctx, ISA_OP_V_BCNT_U32_B32, amd_sel_use_dword(ctx, ir_src(instr, 0), 0), mir_const(0));
    amd_sel_define(ctx, &instr->def,
                   amd_sel_vop2(ctx, ISA_OP_V_BCNT_U32_B32, amd_sel_use_dword(ctx, ir_src(instr, 0), 1), mir_use(low)));
}

/* The lowest of two halves: -1 is the largest of unsigned numbers, so the upper half's place plus 32, saturated, loses
 * against any other. */
static void find_lsb_64(struct select *ctx, struct ir_instr *instr)
{
    mir_temp low = amd_sel_vop1(ctx, ISA_OP_V_FFBL_B32, amd_sel_use_dword(ctx, ir_src(instr, 0), 0));
    mir_temp high = amd_sel_vop1(ctx, ISA_OP_V_FFBL_B32, amd_sel_use_dword(ctx, ir_src(instr, 0), 1)),
             moved = amd_sel_temp(ctx, MIR_V(1));
    struct mir_instr *add =
        amd_sel_vop_instr(ctx, ISA_OP_V_ADD_NC_U32, moved, 2, (struct mir_operand[]){mir_const(32), mir_use(high)});
    add->alu.clamp = 1;
    amd_sel_define(ctx, &instr->def, amd_sel_vop2(ctx, ISA_OP_V_MIN_U32, mir_use(low), mir_use(moved)));
}

/* ---- doubles ---- */

static struct mir_instr *f64(struct select *ctx, unsigned op, mir_temp *result_out, struct mir_operand a,
                             struct mir_operand b, struct mir_operand c)
{
    *result_out = amd_sel_temp(ctx, MIR_V(2));
    return amd_sel_vop_instr(ctx, op, *result_out, c.kind == MIR_NONE ? 2 : 3, (struct mir_operand[]){a, b, c});
}

static mir_temp fma64(struct select *ctx, struct mir_operand a, struct mir_operand b, struct mir_operand c,
                      unsigned neg)
{
    mir_temp result;
    f64(ctx, ISA_OP_V_FMA_F64, &result, a, b, c)->alu.neg = (uint8_t)neg;
    return result;
}

static mir_temp constant_64(struct select *ctx, uint64_t bits)
{
    return amd_sel_vector(ctx, true, 2,
                          (mir_temp[]){amd_sel_copy(ctx, MIR_V(1), mir_const((uint32_t)bits)),
                                       amd_sel_copy(ctx, MIR_V(1), mir_const((uint32_t)(bits >> 32)))});
}

static mir_temp div_scale(struct select *ctx, mir_temp which, mir_temp denominator, mir_temp numerator,
                          mir_temp *vcc_out)
{
    mir_temp result = amd_sel_temp(ctx, MIR_V(2));
    *vcc_out = amd_sel_temp(ctx, ctx->program->lane_mask);
    struct mir_instr *instr = amd_sel_instr(ctx, ISA_OP_V_DIV_SCALE_F64, 2, 3);
    instr->defs[0] = mir_result(result);
    instr->defs[1] = mir_result(*vcc_out);
    instr->operands[0] = mir_use(which);
    instr->operands[1] = mir_use(denominator);
    instr->operands[2] = mir_use(numerator);
    return result;
}

/* The quotient rounded as IEEE wants: both operands are scaled to where nothing overflows on the way, the reciprocal is
 * refined twice, the quotient once, and the fixup puts zeros, infinities and NaN in. */
static mir_temp divide_64(struct select *ctx, mir_temp a, mir_temp b)
{
    mir_temp none, vcc, product;
    mir_temp scaled_b = div_scale(ctx, b, b, a, &none), scaled_a = div_scale(ctx, a, b, a, &vcc);
    struct mir_operand one = mir_use(constant_64(ctx, 0x3ff0000000000000ull));
    mir_temp r = amd_sel_vop1(ctx, ISA_OP_V_RCP_F64, mir_use(scaled_b));
    for (unsigned i = 0; i < 2; i++) {
        mir_temp error = fma64(ctx, mir_use(scaled_b), mir_use(r), one, 1);
        r = fma64(ctx, mir_use(r), mir_use(error), mir_use(r), 0);
    }
    f64(ctx, ISA_OP_V_MUL_F64, &product, mir_use(scaled_a), mir_use(r), (struct mir_operand){.kind = MIR_NONE});
    mir_temp rest = fma64(ctx, mir_use(scaled_b), mir_use(product), mir_use(scaled_a), 1);
    mir_temp quotient = amd_sel_temp(ctx, MIR_V(2));
    struct mir_instr *fmas = amd_sel_instr(ctx, ISA_OP_V_DIV_FMAS_F64, 1, 4);
    fmas->defs[0] = mir_result(quotient);
    fmas->operands[0] = mir_use(rest);
    fmas->operands[1] = mir_use(r);
    fmas->operands[2] = mir_use(product);
    fmas->operands[3] = mir_fixed(vcc, MIR_REG_VCC);
    mir_temp result;
    f64(ctx, ISA_OP_V_DIV_FIXUP_F64, &result, mir_use(quotient), mir_use(b), mir_use(a));
    return result;
}

/* By Goldschmidt's iteration from the hardware's estimate of 1/sqrt; small operands are scaled up by 2^256 first, the
 * root down by 2^128. Zero and infinity are their own roots. */
static mir_temp sqrt_64(struct select *ctx, mir_temp x)
{
    mir_temp limit = constant_64(ctx, 0x1000000000000000ull),
             small = amd_sel_vopc(ctx, ISA_OP_V_CMP_LT_F64, mir_use(x), mir_use(limit));
    mir_temp up = amd_sel_vop3(ctx, ISA_OP_V_CNDMASK_B32, mir_const(0), mir_const(256), mir_use(small));
    mir_temp down = amd_sel_vop3(ctx, ISA_OP_V_CNDMASK_B32, mir_const(0), mir_const((uint32_t)-128), mir_use(small));
    mir_temp a = amd_sel_vop2(ctx, ISA_OP_V_LDEXP_F64, mir_use(x), mir_use(up)),
             half = constant_64(ctx, 0x3fe0000000000000ull);
    mir_temp y = amd_sel_vop1(ctx, ISA_OP_V_RSQ_F64, mir_use(a)), g, h;
    struct mir_operand none = {.kind = MIR_NONE};
    f64(ctx, ISA_OP_V_MUL_F64, &g, mir_use(a), mir_use(y), none);
    f64(ctx, ISA_OP_V_MUL_F64, &h, mir_use(y), mir_use(half), none);
    for (unsigned i = 0; i < 2; i++) {
        mir_temp error = fma64(ctx, mir_use(h), mir_use(g), mir_use(half), 1);
        g = fma64(ctx, mir_use(g), mir_use(error), mir_use(g), 0);
        h = fma64(ctx, mir_use(h), mir_use(error), mir_use(h), 0);
    }
    mir_temp rest = fma64(ctx, mir_use(g), mir_use(g), mir_use(a), 1);
    g = fma64(ctx, mir_use(rest), mir_use(h), mir_use(g), 0);
    g = amd_sel_vop2(ctx, ISA_OP_V_LDEXP_F64, mir_use(g), mir_use(down));
    mir_temp itself = amd_sel_vopc(ctx, ISA_OP_V_CMP_CLASS_F64, mir_use(a), mir_const(0x260)), parts[2];
    for (unsigned i = 0; i < 2; i++)
        parts[i] = amd_sel_vop3(ctx, ISA_OP_V_CNDMASK_B32, mir_use(amd_sel_dword(ctx, g, i)),
                                mir_use(amd_sel_dword(ctx, a, i)), mir_use(itself));
    return amd_sel_vector(ctx, true, 2, parts);
}

static bool double_op(struct select *ctx, struct ir_instr *instr)
{
    mir_temp one;
    switch (instr->op) {
    case IR_OP_fdiv:
        amd_sel_define(ctx, &instr->def,
                       divide_64(ctx, amd_sel_vgpr(ctx, ir_src(instr, 0)), amd_sel_vgpr(ctx, ir_src(instr, 1))));
        return true;
    case IR_OP_frcp:
        one = constant_64(ctx, 0x3ff0000000000000ull);
        amd_sel_define(ctx, &instr->def, divide_64(ctx, one, amd_sel_vgpr(ctx, ir_src(instr, 0))));
        return true;
    case IR_OP_fsqrt:
        amd_sel_define(ctx, &instr->def, sqrt_64(ctx, amd_sel_vgpr(ctx, ir_src(instr, 0))));
        return true;
    case IR_OP_frsq:
        one = constant_64(ctx, 0x3ff0000000000000ull);
        amd_sel_define(ctx, &instr->def, divide_64(ctx, one, sqrt_64(ctx, amd_sel_vgpr(ctx, ir_src(instr, 0)))));
        return true;
    default:
        return false;
    }
}

bool amd_sel_alu_64(struct select *ctx, struct ir_instr *instr)
{
    unsigned bits = instr->num_srcs ? ir_src(instr, 0)->bits : 0;
    if (bits != 64)
        return false;
    switch (instr->op) {
    case IR_OP_iadd:
    case IR_OP_isub:
    case IR_OP_ineg:
        add_64(ctx, instr);
        return true;
    case IR_OP_imul:
        multiply_64(ctx, instr);
        return true;
    case IR_OP_iand:
    case IR_OP_ior:
    case IR_OP_ixor:
    case IR_OP_inot:
        halves_64(ctx, instr);
        return true;
    case IR_OP_brev:
        reverse_64(ctx, instr);
        return true;
    case IR_OP_bcount:
        count_64(ctx, instr);
        return true;
    case IR_OP_find_lsb:
        find_lsb_64(ctx, instr);
        return true;
    default:
        return double_op(ctx, instr);
    }
}
