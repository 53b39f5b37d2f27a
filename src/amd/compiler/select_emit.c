/* Making machine instructions: the scalar and vector forms with what each can read. See select.h. */
#include <string.h>

#include "amd/compiler/select.h"
#include "util/bits.h"

void *amd_sel_alloc(struct select *ctx, size_t size_B)
{
    return amd_mir_alloc(ctx->program, size_B);
}

struct mir_operand amd_sel_exec(const struct select *ctx)
{
    return mir_reg_use(MIR_REG_EXEC, ctx->program->lane_mask.dwords);
}

struct mir_operand amd_sel_mask_const(const struct select *ctx, bool ones)
{
    return ctx->wave64 ? mir_const64(ones ? UINT64_MAX : 0) : mir_const(ones ? UINT32_MAX : 0);
}

mir_temp amd_sel_temp(struct select *ctx, struct mir_class class)
{
    return amd_mir_new_temp(ctx->program, class);
}

struct mir_instr *amd_sel_instr(struct select *ctx, unsigned op, unsigned num_defs, unsigned num_operands)
{
    ctx->b.block = &ctx->program->blocks[ctx->block];
    ctx->b.before = &ctx->b.block->instrs;
    struct mir_instr *instr = amd_mir_new_instr(&ctx->b, op, num_defs, num_operands);
    if (op < ISA_OP_COUNT && isa_info(op)->variants[ctx->program->gfx] >> ISA_VARIANT_E64 & 1)
        instr->variant = ISA_VARIANT_E64;
    return instr;
}

unsigned amd_sel_dwords(const struct select *ctx, mir_temp temp)
{
    return ctx->program->temps[temp].class.dwords;
}

bool amd_sel_is_vector(const struct select *ctx, mir_temp temp)
{
    return ctx->program->temps[temp].class.vector;
}

mir_temp amd_sel_copy(struct select *ctx, struct mir_class class, struct mir_operand operand)
{
    mir_temp result = amd_sel_temp(ctx, class);
    struct mir_instr *instr = amd_sel_instr(ctx, MIR_P_COPY, 1, 1);
    instr->defs[0] = mir_result(result);
    instr->operands[0] = operand;
    instr->operands[0].dwords = class.dwords;
    return result;
}

/* ---- scalar ---- */

/* Whether a constant needs the dword after the instruction. Floats are not asked for: 32-bit inline ones are found by
 * the emitter, and to take one for a literal only costs a register. */
static bool is_literal(const struct mir_operand *operand)
{
    int64_t value = operand->dwords == 2 ? (int64_t)operand->value : (int32_t)(uint32_t)operand->value;
    return operand->kind == MIR_CONST && (value < -16 || value > 64);
}

/* A 64-bit constant that is not inline has no form that all instructions extend alike. */
static struct mir_operand wide_constant(struct select *ctx, struct mir_operand operand, bool vector)
{
    if (operand.kind != MIR_CONST || operand.dwords != 2 || !is_literal(&operand))
        return operand;
    mir_temp result = amd_sel_temp(ctx, vector ? MIR_V(2) : MIR_S(2));
    struct mir_instr *instr = amd_sel_instr(ctx, MIR_P_VECTOR, 1, 2);
    instr->defs[0] = mir_result(result);
    instr->operands[0] = mir_const((uint32_t)operand.value);
    instr->operands[1] = mir_const((uint32_t)(operand.value >> 32));
    return mir_use(result);
}

static struct mir_operand scalar_operand(struct select *ctx, struct mir_operand operand)
{
    if (operand.kind == MIR_TEMP && amd_sel_is_vector(ctx, operand.temp))
        return mir_use(amd_sel_readfirst(ctx, operand.temp));
    return wide_constant(ctx, operand, false);
}

/* One literal is all that an instruction has room for. */
static void legal_scalar(struct select *ctx, struct mir_operand *a, struct mir_operand *b)
{
    *a = scalar_operand(ctx, *a);
    *b = scalar_operand(ctx, *b);
    if (is_literal(a) && is_literal(b) && a->value != b->value)
        *b = mir_use(amd_sel_copy(ctx, MIR_S(b->dwords), *b));
}

mir_temp amd_sel_sop1(struct select *ctx, unsigned op, unsigned dwords, struct mir_operand a)
{
    mir_temp result = amd_sel_temp(ctx, MIR_S((uint8_t)dwords));
    a = scalar_operand(ctx, a);
    struct mir_instr *instr = amd_sel_instr(ctx, op, 1, 1);
    instr->defs[0] = mir_result(result);
    instr->operands[0] = a;
    return result;
}

mir_temp amd_sel_sop2(struct select *ctx, unsigned op, unsigned dwords, struct mir_operand a, struct mir_operand b)
{
    mir_temp result = amd_sel_temp(ctx, MIR_S((uint8_t)dwords));
    legal_scalar(ctx, &a, &b);
    struct mir_instr *instr = amd_sel_instr(ctx, op, 1, 2);
    instr->defs[0] = mir_result(result);
    instr->operands[0] = a;
    instr->operands[1] = b;
    return result;
}

mir_temp amd_sel_sop2_scc(struct select *ctx, unsigned op, unsigned dwords, struct mir_operand a, struct mir_operand b,
                          mir_temp *result_out)
{
    mir_temp result = amd_sel_temp(ctx, MIR_S((uint8_t)dwords)), scc = amd_sel_temp(ctx, MIR_S(1));
    legal_scalar(ctx, &a, &b);
    struct mir_instr *instr = amd_sel_instr(ctx, op, 2, 2);
    instr->defs[0] = mir_result(result);
    instr->defs[1] = mir_fixed_result(scc, MIR_REG_SCC);
    instr->operands[0] = a;
    instr->operands[1] = b;
    if (result_out)
        *result_out = result;
    return scc;
}

mir_temp amd_sel_sopc(struct select *ctx, unsigned op, struct mir_operand a, struct mir_operand b)
{
    mir_temp scc = amd_sel_temp(ctx, MIR_S(1));
    legal_scalar(ctx, &a, &b);
    struct mir_instr *instr = amd_sel_instr(ctx, op, 1, 2);
    instr->defs[0] = mir_fixed_result(scc, MIR_REG_SCC);
    instr->operands[0] = a;
    instr->operands[1] = b;
    return scc;
}

mir_temp amd_sel_cselect(struct select *ctx, unsigned dwords, struct mir_operand a, struct mir_operand b, mir_temp scc)
{
    mir_temp result = amd_sel_temp(ctx, MIR_S((uint8_t)dwords));
    if (is_literal(&a) && is_literal(&b) && a.value != b.value)
        sel_fail(ctx, "a choice between two literals"); /* the caller has copied one, before scc was made */
    struct mir_instr *instr = amd_sel_instr(ctx, dwords == 2 ? ISA_OP_S_CSELECT_B64 : ISA_OP_S_CSELECT_B32, 1, 3);
    instr->defs[0] = mir_result(result);
    instr->operands[0] = a;
    instr->operands[1] = b;
    instr->operands[2] = mir_fixed(scc, MIR_REG_SCC);
    return result;
}

/* ---- vector ---- */

/* How many scalar values a vector instruction can read; a literal counts as one. */
static unsigned scalar_limit(unsigned op)
{
    switch (op) {
    case ISA_OP_V_LSHLREV_B64:
    case ISA_OP_V_LSHRREV_B64:
    case ISA_OP_V_ASHRREV_I64:
        return 1;
    default:
        return 2;
    }
}

static bool must_be_vector(const struct select *ctx, unsigned op, unsigned variant, unsigned index)
{
    unsigned kinds = amd_isa_operand_kinds(ctx->program->gfx, op, variant, index);
    return !(kinds & (1u << ISA_OPERAND_SGPR | 1u << ISA_OPERAND_SPECIAL));
}

static bool takes_literal(const struct select *ctx, unsigned op, unsigned variant, unsigned index)
{
    return amd_isa_operand_kinds(ctx->program->gfx, op, variant, index) >> ISA_OPERAND_LITERAL & 1;
}

static struct mir_operand in_vgpr(struct select *ctx, struct mir_operand operand)
{
    if (operand.kind == MIR_TEMP)
        return amd_sel_is_vector(ctx, operand.temp) ? operand : mir_use(amd_sel_to_vgpr(ctx, operand.temp));
    if (operand.kind == MIR_CONST || operand.kind == MIR_REG)
        return mir_use(amd_sel_copy(ctx, MIR_V(operand.dwords), operand));
    return operand;
}

struct mir_instr *amd_sel_vop_instr(struct select *ctx, unsigned op, mir_temp result, unsigned count,
                                    const struct mir_operand *operands)
{
    const struct isa_op_info *info = isa_info(op);
    unsigned variant = info->variants[ctx->program->gfx] >> ISA_VARIANT_E64 & 1 ? ISA_VARIANT_E64 : ISA_VARIANT_BASE;
    struct mir_operand used[6];
    uint64_t seen[4];
    unsigned scalars = 0;
    const struct mir_operand *one_literal = NULL;
    for (unsigned i = 0; i < count; i++) {
        used[i] = wide_constant(ctx, operands[i], true);
        unsigned index = info->dst_count + i;
        bool temp = used[i].kind == MIR_TEMP && !amd_sel_is_vector(ctx, used[i].temp), literal = is_literal(&used[i]);
        if (index >= info->operand_count || used[i].fixed ||
            (!temp && used[i].kind != MIR_CONST && used[i].kind != MIR_REG))
            continue;
        if (must_be_vector(ctx, op, variant, index)) {
            used[i] = in_vgpr(ctx, used[i]);
            continue;
        }
        if (!temp && !literal && used[i].kind != MIR_REG)
            continue;
        if (literal && !takes_literal(ctx, op, variant, index)) {
            used[i] = in_vgpr(ctx, used[i]);
            continue;
        }
        if (literal && one_literal && one_literal->value != used[i].value) {
            used[i] = in_vgpr(ctx, used[i]);
            continue;
        }
        if (literal)
            one_literal = &used[i];
        uint64_t key = temp ? used[i].temp : literal ? 1ull << 63 | used[i].value : 1ull << 62 | used[i].reg;
        bool known = false;
        for (unsigned n = 0; n < scalars; n++)
            known |= seen[n] == key;
        if (known)
            continue;
        if (scalars == scalar_limit(op)) {
            /* A mask has no vector form: something else makes room. */
            if (info->operands[index].count == ISA_COUNT_WAVE) {
                for (unsigned n = 0; n < i; n++) {
                    bool scalar = used[n].kind == MIR_TEMP && !amd_sel_is_vector(ctx, used[n].temp);
                    if (scalar || is_literal(&used[n])) {
                        used[n] = in_vgpr(ctx, used[n]);
                        break;
                    }
                }
            } else {
                used[i] = in_vgpr(ctx, used[i]);
            }
            continue;
        }
        seen[scalars++] = key;
    }
    struct mir_instr *instr = amd_sel_instr(ctx, op, result ? 1 : 0, count);
    if (result)
        instr->defs[0] = mir_result(result);
    memcpy(instr->operands, used, count * sizeof(*used));
    return instr;
}

static mir_temp amd_sel_vop(struct select *ctx, unsigned op, unsigned dwords, unsigned count,
                            const struct mir_operand *operands)
{
    mir_temp result = amd_sel_temp(ctx, MIR_V((uint8_t)dwords));
    amd_sel_vop_instr(ctx, op, result, count, operands);
    return result;
}

mir_temp amd_sel_vop1(struct select *ctx, unsigned op, struct mir_operand a)
{
    return amd_sel_vop(ctx, op, isa_info(op)->operands[0].count, 1, &a);
}

mir_temp amd_sel_vop2(struct select *ctx, unsigned op, struct mir_operand a, struct mir_operand b)
{
    return amd_sel_vop(ctx, op, isa_info(op)->operands[0].count, 2, (struct mir_operand[]){a, b});
}

mir_temp amd_sel_vop3(struct select *ctx, unsigned op, struct mir_operand a, struct mir_operand b, struct mir_operand c)
{
    return amd_sel_vop(ctx, op, isa_info(op)->operands[0].count, 3, (struct mir_operand[]){a, b, c});
}

mir_temp amd_sel_vopc(struct select *ctx, unsigned op, struct mir_operand a, struct mir_operand b)
{
    mir_temp result = amd_sel_temp(ctx, ctx->program->lane_mask);
    amd_sel_vop_instr(ctx, op, result, 2, (struct mir_operand[]){a, b});
    return result;
}

/* ---- lane masks ---- */

static unsigned mask_op(const struct select *ctx, enum sel_mask_op op)
{
    static const uint16_t ops[][2] = {
        [SEL_AND] = {ISA_OP_S_AND_B32, ISA_OP_S_AND_B64},    [SEL_OR] = {ISA_OP_S_OR_B32, ISA_OP_S_OR_B64},
        [SEL_XOR] = {ISA_OP_S_XOR_B32, ISA_OP_S_XOR_B64},    [SEL_ANDN2] = {ISA_OP_S_ANDN2_B32, ISA_OP_S_ANDN2_B64},
        [SEL_ORN2] = {ISA_OP_S_ORN2_B32, ISA_OP_S_ORN2_B64}, [SEL_XNOR] = {ISA_OP_S_XNOR_B32, ISA_OP_S_XNOR_B64},
    };
    return ops[op][ctx->wave64];
}

mir_temp amd_sel_mask2(struct select *ctx, enum sel_mask_op op, struct mir_operand a, struct mir_operand b)
{
    return amd_sel_sop2(ctx, mask_op(ctx, op), ctx->program->lane_mask.dwords, a, b);
}

mir_temp amd_sel_mask_not(struct select *ctx, struct mir_operand a)
{
    return amd_sel_sop1(ctx, ctx->wave64 ? ISA_OP_S_NOT_B64 : ISA_OP_S_NOT_B32, ctx->program->lane_mask.dwords, a);
}

mir_temp amd_sel_mask_scc(struct select *ctx, enum sel_mask_op op, struct mir_operand a, struct mir_operand b)
{
    return amd_sel_sop2_scc(ctx, mask_op(ctx, op), ctx->program->lane_mask.dwords, a, b, NULL);
}

void amd_sel_set_exec(struct select *ctx, struct mir_operand mask)
{
    struct mir_instr *instr = amd_sel_instr(ctx, ctx->wave64 ? ISA_OP_S_MOV_B64 : ISA_OP_S_MOV_B32, 1, 1);
    instr->defs[0] = mir_fixed_result(0, MIR_REG_EXEC);
    instr->operands[0] = mask;
}

void amd_sel_exec_op(struct select *ctx, enum sel_mask_op op, struct mir_operand a, struct mir_operand b)
{
    struct mir_instr *instr = amd_sel_instr(ctx, mask_op(ctx, op), 1, 2);
    instr->defs[0] = mir_fixed_result(0, MIR_REG_EXEC);
    instr->operands[0] = a;
    instr->operands[1] = b;
}

/* ---- tuples ---- */

mir_temp amd_sel_vector(struct select *ctx, bool vector, unsigned count, const mir_temp *dwords)
{
    unsigned total = 0;
    for (unsigned i = 0; i < count; i++)
        total += amd_sel_dwords(ctx, dwords[i]);
    if (count == 1 && amd_sel_is_vector(ctx, dwords[0]) == vector)
        return dwords[0];
    mir_temp scalars[64];
    for (unsigned i = 0; i < count; i++)
        scalars[i] = !vector ? amd_sel_readfirst(ctx, dwords[i]) : dwords[i];
    mir_temp result = amd_sel_temp(ctx, vector ? MIR_V((uint8_t)total) : MIR_S((uint8_t)total));
    struct mir_instr *instr = amd_sel_instr(ctx, MIR_P_VECTOR, 1, count);
    instr->defs[0] = mir_result(result);
    for (unsigned i = 0; i < count; i++)
        instr->operands[i] = mir_use(scalars[i]);
    return result;
}

mir_temp amd_sel_dword(struct select *ctx, mir_temp temp, unsigned dword)
{
    struct mir_class class = ctx->program->temps[temp].class;
    if (class.dwords == 1)
        return temp;
    mir_temp result = amd_sel_temp(ctx, class.vector ? MIR_V(1) : MIR_S(1));
    struct mir_instr *instr = amd_sel_instr(ctx, MIR_P_EXTRACT, 1, 1);
    instr->defs[0] = mir_result(result);
    instr->operands[0] = mir_use(temp);
    instr->imm = dword;
    return result;
}

mir_temp amd_sel_readfirst(struct select *ctx, mir_temp temp)
{
    if (!amd_sel_is_vector(ctx, temp))
        return temp;
    mir_temp dwords[32];
    unsigned count = amd_sel_dwords(ctx, temp);
    for (unsigned i = 0; i < count; i++) {
        mir_temp from = amd_sel_dword(ctx, temp, i);
        dwords[i] = amd_sel_temp(ctx, MIR_S(1));
        struct mir_instr *instr = amd_sel_instr(ctx, ISA_OP_V_READFIRSTLANE_B32, 1, 1);
        instr->defs[0] = mir_result(dwords[i]);
        instr->operands[0] = mir_use(from);
    }
    return amd_sel_vector(ctx, false, count, dwords);
}

mir_temp amd_sel_to_vgpr(struct select *ctx, mir_temp temp)
{
    if (amd_sel_is_vector(ctx, temp))
        return temp;
    return amd_sel_copy(ctx, MIR_V((uint8_t)amd_sel_dwords(ctx, temp)), mir_use(temp));
}
