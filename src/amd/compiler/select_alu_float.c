/* Float operations that take more than one instruction, and derivatives. */
#include "amd/compiler/select.h"

/* DPP: where in its quad a lane reads. */
#define QUAD_PERM(a, b, c, d) ((a) | (b) << 2 | (c) << 4 | (d) << 6)

mir_temp amd_sel_quad_read(struct select *ctx, mir_temp from, unsigned perm)
{
    mir_temp result = amd_sel_temp(ctx, MIR_V(1));
    struct mir_instr *instr = amd_sel_instr(ctx, ISA_OP_V_MOV_B32, 1, 1);
    instr->variant = ISA_VARIANT_DPP16;
    instr->keep_variant = true;
    instr->alu.dpp_ctrl = (uint16_t)perm;
    instr->alu.bound_ctrl = 1;
    instr->defs[0] = mir_result(result);
    instr->operands[0] = mir_use(from);
    return result;
}

/* Differences within the quad: of the pixel's own row or column where fine, else of the first row and column. */
static void derivative(struct select *ctx, struct ir_instr *instr)
{
    bool fine = ir_imm(instr, IR_IMM_DERIVATIVE) == IR_DERIVATIVE_fine, x = instr->op == IR_OP_fddx,
         half = instr->def.bits == 16;
    unsigned from, to;
    if (fine) {
        from = x ? QUAD_PERM(0, 0, 2, 2) : QUAD_PERM(0, 1, 0, 1);
        to = x ? QUAD_PERM(1, 1, 3, 3) : QUAD_PERM(2, 3, 2, 3);
    } else {
        from = QUAD_PERM(0, 0, 0, 0);
        to = x ? QUAD_PERM(1, 1, 1, 1) : QUAD_PERM(2, 2, 2, 2);
    }
    mir_temp a = amd_sel_vgpr(ctx, ir_src(instr, 0)), first = amd_sel_quad_read(ctx, a, from),
             result = amd_sel_temp(ctx, MIR_V(1));
    struct mir_instr *sub = amd_sel_instr(ctx, half ? ISA_OP_V_SUB_F16 : ISA_OP_V_SUB_F32, 1, 2);
    sub->variant = ISA_VARIANT_DPP16;
    sub->keep_variant = true;
    sub->alu.dpp_ctrl = (uint16_t)to;
    sub->alu.bound_ctrl = 1;
    sub->defs[0] = mir_result(result);
    sub->operands[0] = mir_use(a);
    sub->operands[1] = mir_use(first);
    amd_sel_define(ctx, &instr->def, result);
}

static uint32_t sign_bits(const struct ir_value *value)
{
    return value->bits == 16 ? (value->comps == 2 ? 0x80008000u : 0x8000u) : 0x80000000u;
}

/* The sign alone, as bits: what readers do not take as a modifier. */
static void change_sign(struct select *ctx, struct ir_instr *instr)
{
    const struct ir_value *a = ir_src(instr, 0);
    bool negate = instr->op == IR_OP_fneg;
    uint32_t sign = sign_bits(a);
    unsigned top = amd_sel_value_dwords(a) - 1, op = negate ? ISA_OP_V_XOR_B32 : ISA_OP_V_AND_B32;
    mir_temp changed = amd_sel_vop2(ctx, op, mir_const(negate ? sign : ~sign), amd_sel_use_dword(ctx, a, top));
    if (a->bits == 64)
        amd_sel_define_elems(ctx, &instr->def, 2, (mir_temp[]){amd_sel_value_dword(ctx, a, 0), changed});
    else
        amd_sel_define(ctx, &instr->def, changed);
}

static void with_clamp(struct select *ctx, struct ir_instr *instr, bool clamp)
{
    struct mir_operand a = amd_sel_use(ctx, ir_src(instr, 0));
    unsigned op = instr->def.comps == 2   ? ISA_OP_V_PK_MAX_F16
                  : instr->def.bits == 16 ? ISA_OP_V_MAX_F16
                  : instr->def.bits == 32 ? ISA_OP_V_MAX_F32
                                          : ISA_OP_V_MAX_F64;
    mir_temp result = amd_sel_temp(ctx, MIR_V((uint8_t)amd_sel_value_dwords(&instr->def)));
    amd_sel_vop_instr(ctx, op, result, 2, (struct mir_operand[]){a, a})->alu.clamp = clamp;
    amd_sel_define(ctx, &instr->def, result);
}

/* The instructions count in turns. */
static void trigonometry(struct select *ctx, struct ir_instr *instr)
{
    bool half = instr->def.bits == 16, sine = instr->op == IR_OP_fsin;
    mir_temp turns = amd_sel_vop2(ctx, half ? ISA_OP_V_MUL_F16 : ISA_OP_V_MUL_F32,
                                  mir_const(half ? 0x3118 : 0x3e22f983), amd_sel_use(ctx, ir_src(instr, 0)));
    unsigned op = half ? (sine ? ISA_OP_V_SIN_F16 : ISA_OP_V_COS_F16) : (sine ? ISA_OP_V_SIN_F32 : ISA_OP_V_COS_F32);
    amd_sel_define(ctx, &instr->def, amd_sel_vop1(ctx, op, mir_use(turns)));
}

static void test_class(struct select *ctx, struct ir_instr *instr)
{
    unsigned bits = ir_src(instr, 0)->bits;
    unsigned op = bits == 16 ? ISA_OP_V_CMP_CLASS_F16 : bits == 32 ? ISA_OP_V_CMP_CLASS_F32 : ISA_OP_V_CMP_CLASS_F64;
    struct mir_operand a = amd_sel_use(ctx, ir_src(instr, 0));
    amd_sel_define(ctx, &instr->def, amd_sel_vopc(ctx, op, a, mir_const(ir_imm(instr, IR_IMM_MASK))));
}

static void half_exponent(struct select *ctx, struct ir_instr *instr)
{
    mir_temp narrow = amd_sel_vop1(ctx, ISA_OP_V_FREXP_EXP_I16_F16, amd_sel_use(ctx, ir_src(instr, 0)));
    amd_sel_define(ctx, &instr->def, amd_sel_vop3(ctx, ISA_OP_V_BFE_I32, mir_use(narrow), mir_const(0), mir_const(16)));
}

bool amd_sel_alu_float(struct select *ctx, struct ir_instr *instr)
{
    switch (instr->op) {
    case IR_OP_fddx:
    case IR_OP_fddy:
        derivative(ctx, instr);
        return true;
    case IR_OP_fneg:
    case IR_OP_fabs:
        change_sign(ctx, instr);
        return true;
    case IR_OP_fsat:
    case IR_OP_fcanonical:
        with_clamp(ctx, instr, instr->op == IR_OP_fsat);
        return true;
    case IR_OP_fsin:
    case IR_OP_fcos:
        trigonometry(ctx, instr);
        return true;
    case IR_OP_fclass:
        test_class(ctx, instr);
        return true;
    case IR_OP_ffrexp_exp:
        half_exponent(ctx, instr);
        return true;
    default:
        return false;
    }
}
