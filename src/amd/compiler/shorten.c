/* Shorter encodings that only show once registers are known: the accumulating form of a multiply-add, constants inside
 * an instruction, 16-bit immediates of scalars. Choosing between e32 and e64 is the emitter's. */
#include <string.h>

#include "amd/compiler/lower.h"
#include "amd/compiler/optimise.h"
#include "util/bits.h"

static bool is_vgpr(const struct mir_operand *operand)
{
    return operand->kind == MIR_REG && operand->reg >= MIR_REG_V0;
}

static bool is_literal(const struct mir_instr *instr, unsigned index)
{
    const struct mir_operand *operand = &instr->operands[index];
    const struct isa_operand_info *about = &isa_info(instr->op)->operands[isa_info(instr->op)->dst_count + index];
    struct isa_operand inline_constant;
    return operand->kind == MIR_CONST && about->count <= 1 &&
           !amd_mir_inline_constant(about->type, 1, operand->value, &inline_constant);
}

struct fused_forms {
    uint16_t fma, accumulate, times_k, plus_k;
};

static const struct fused_forms fused[] = {
    {ISA_OP_V_FMA_F32, ISA_OP_V_FMAC_F32, ISA_OP_V_FMAMK_F32, ISA_OP_V_FMAAK_F32},
    {ISA_OP_V_FMA_F16, ISA_OP_V_FMAC_F16, ISA_OP_V_FMAMK_F16, ISA_OP_V_FMAAK_F16},
};

static void become_op(struct mir_instr *instr, unsigned op, struct mir_operand a, struct mir_operand b,
                      struct mir_operand c)
{
    instr->op = (uint16_t)op;
    instr->variant = ISA_VARIANT_BASE;
    instr->operands[0] = a;
    instr->operands[1] = b;
    instr->operands[2] = c;
}

static void shorten_fma(struct mir_instr *instr, const struct fused_forms *forms)
{
    struct mir_operand a = instr->operands[0], b = instr->operands[1], c = instr->operands[2];
    if (!amd_opt_is_plain(instr) || instr->keep_variant)
        return;
    if (is_literal(instr, 2) && (is_vgpr(&a) || is_vgpr(&b)) && a.kind != MIR_CONST && b.kind != MIR_CONST) {
        become_op(instr, forms->plus_k, is_vgpr(&b) ? a : b, is_vgpr(&b) ? b : a, c);
    } else if (is_vgpr(&c) && is_literal(instr, 0) && !is_literal(instr, 1)) {
        become_op(instr, forms->times_k, b, a, c);
    } else if (is_vgpr(&c) && is_literal(instr, 1) && !is_literal(instr, 0)) {
        become_op(instr, forms->times_k, a, b, c);
    } else if (is_vgpr(&c) && c.reg == instr->defs[0].reg && (is_vgpr(&a) || is_vgpr(&b)) && !is_literal(instr, 0) &&
               !is_literal(instr, 1)) {
        /* the old value is the last operand, as for every instruction that keeps one */
        become_op(instr, forms->accumulate, is_vgpr(&b) ? a : b, is_vgpr(&b) ? b : a, c);
    }
}

static const struct {
    uint16_t add, subtract, reversed;
} sums[] = {
    {ISA_OP_V_ADD_F32, ISA_OP_V_SUB_F32, ISA_OP_V_SUBREV_F32},
    {ISA_OP_V_ADD_F16, ISA_OP_V_SUB_F16, ISA_OP_V_SUBREV_F16},
};

/* A sum with one negative operand is a difference, which has a short form. */
static bool shorten_sum(struct mir_instr *instr)
{
    for (unsigned i = 0; i < ARRAY_SIZE(sums); i++) {
        if (instr->op != sums[i].add || (instr->alu.neg != 1 && instr->alu.neg != 2))
            continue;
        struct mir_instr trial = *instr;
        trial.alu.neg = 0;
        if (!amd_opt_is_plain(&trial) || instr->keep_variant)
            return true;
        instr->op = instr->alu.neg == 2 ? sums[i].subtract : sums[i].reversed;
        instr->alu.neg = 0;
        return true;
    }
    return false;
}

/* ---- scalars ---- */

static bool lists_scc(const struct mir_instr *instr)
{
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].reg == MIR_REG_SCC && instr->defs[i].temp && !instr->defs[i].dead)
            return true;
    }
    return false;
}

static bool fits_i16(uint64_t value)
{
    return (int32_t)value >= INT16_MIN && (int32_t)value <= INT16_MAX;
}

/* d = d op k: the destination is what is added to. */
static void shorten_scalar_k(struct mir_instr *instr, unsigned op)
{
    for (unsigned place = 0; place < 2; place++) {
        const struct mir_operand *k = &instr->operands[place], *other = &instr->operands[1 - place];
        if (!is_literal(instr, place) || !fits_i16(k->value) || other->kind != MIR_REG ||
            other->reg != instr->defs[0].reg)
            continue;
        instr->imm = (uint16_t)k->value;
        instr->operands[0] = *other;
        instr->num_operands = 1;
        instr->op = (uint16_t)op;
        return;
    }
}

static const struct {
    uint16_t compare, with_k;
    bool is_signed;
} compares[] = {
    {ISA_OP_S_CMP_EQ_I32, ISA_OP_S_CMPK_EQ_I32, true},  {ISA_OP_S_CMP_LG_I32, ISA_OP_S_CMPK_LG_I32, true},
    {ISA_OP_S_CMP_GT_I32, ISA_OP_S_CMPK_GT_I32, true},  {ISA_OP_S_CMP_GE_I32, ISA_OP_S_CMPK_GE_I32, true},
    {ISA_OP_S_CMP_LT_I32, ISA_OP_S_CMPK_LT_I32, true},  {ISA_OP_S_CMP_LE_I32, ISA_OP_S_CMPK_LE_I32, true},
    {ISA_OP_S_CMP_EQ_U32, ISA_OP_S_CMPK_EQ_U32, false}, {ISA_OP_S_CMP_LG_U32, ISA_OP_S_CMPK_LG_U32, false},
    {ISA_OP_S_CMP_GT_U32, ISA_OP_S_CMPK_GT_U32, false}, {ISA_OP_S_CMP_GE_U32, ISA_OP_S_CMPK_GE_U32, false},
    {ISA_OP_S_CMP_LT_U32, ISA_OP_S_CMPK_LT_U32, false}, {ISA_OP_S_CMP_LE_U32, ISA_OP_S_CMPK_LE_U32, false},
};

static void shorten_compare(struct mir_instr *instr)
{
    for (unsigned i = 0; i < ARRAY_SIZE(compares); i++) {
        if (compares[i].compare != instr->op)
            continue;
        uint64_t value = instr->operands[1].value;
        bool fits = compares[i].is_signed ? fits_i16(value) : (uint32_t)value <= UINT16_MAX;
        /* the field of a scalar register: neither a constant nor scc */
        if (!is_literal(instr, 1) || !fits || instr->operands[0].kind != MIR_REG || instr->operands[0].reg >= 128)
            return;
        instr->op = compares[i].with_k;
        instr->imm = (uint16_t)value;
        instr->num_operands = 1;
        return;
    }
}

static uint32_t reverse_bits(uint32_t value)
{
    uint32_t reversed = 0;
    for (unsigned i = 0; i < 32; i++)
        reversed |= (value >> i & 1) << (31 - i);
    return reversed;
}

/* A constant of few bits at the wrong end costs no literal. */
static void shorten_move(struct mir_instr *instr)
{
    bool scalar = instr->op == ISA_OP_S_MOV_B32;
    if (!is_literal(instr, 0) || (!scalar && !amd_opt_is_plain(instr)) || instr->pass_flags)
        return;
    uint64_t value = instr->operands[0].value;
    struct isa_operand inline_constant;
    if (scalar && fits_i16(value) && instr->defs[0].reg < 128) {
        instr->op = ISA_OP_S_MOVK_I32;
        instr->imm = (uint16_t)value;
        instr->num_operands = 0;
    } else if (amd_mir_inline_constant(ISA_TYPE_U32, 1, reverse_bits((uint32_t)value), &inline_constant) &&
               inline_constant.kind == ISA_OPERAND_INT) {
        instr->op = scalar ? ISA_OP_S_BREV_B32 : ISA_OP_V_BFREV_B32;
        instr->operands[0].value = reverse_bits((uint32_t)value);
    }
}

static void shorten_instr(struct mir_instr *instr)
{
    for (unsigned i = 0; i < ARRAY_SIZE(fused); i++) {
        if (fused[i].fma == instr->op) {
            shorten_fma(instr, &fused[i]);
            return;
        }
    }
    if (shorten_sum(instr))
        return;
    switch (instr->op) {
    case ISA_OP_S_ADD_U32:
    case ISA_OP_S_ADD_I32:
        if (!lists_scc(instr) && !(instr->pass_flags & MIR_FLAG_CONST_ADDR))
            shorten_scalar_k(instr, ISA_OP_S_ADDK_I32);
        break;
    case ISA_OP_S_MUL_I32:
        shorten_scalar_k(instr, ISA_OP_S_MULK_I32);
        break;
    case ISA_OP_S_MOV_B32:
    case ISA_OP_V_MOV_B32:
        shorten_move(instr);
        break;
    default:
        shorten_compare(instr);
    }
}

void amd_lower_shorten(struct mir_program *program)
{
    mir_foreach_block(program, block)
    {
        mir_foreach_instr(block, instr)
        {
            if (!mir_is_pseudo(instr))
                shorten_instr(instr);
        }
    }
}
