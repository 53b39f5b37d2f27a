/* Operands that an ALU instruction can read on GFX10.3, and that its long form accepts. The kinds of operands by
 * place come from the instruction table; that two scalars and one literal are all that can be read at once is the
 * generation's rule. */
#include <string.h>

#include "amd/compiler/optimise.h"
#include "util/bits.h"

bool amd_opt_is_vector_alu(const struct mir_instr *instr)
{
    if (mir_is_pseudo(instr))
        return false;
    unsigned format = isa_info(instr->op)->format;
    return format >= ISA_FORMAT_VOP1 && format <= ISA_FORMAT_VOP3P;
}

bool amd_opt_is_scalar_alu(const struct mir_instr *instr)
{
    if (mir_is_pseudo(instr))
        return false;
    unsigned format = isa_info(instr->op)->format;
    return format == ISA_FORMAT_SOP1 || format == ISA_FORMAT_SOP2 || format == ISA_FORMAT_SOPC;
}

bool amd_opt_is_plain(const struct mir_instr *instr)
{
    struct mir_instr plain = amd_mir_plain(instr->op);
    bool free_form = instr->variant == ISA_VARIANT_BASE || instr->variant == ISA_VARIANT_E64;
    return free_form && memcmp(&plain.alu, &instr->alu, sizeof(plain.alu)) == 0;
}

/* The form whose rules hold: the emitter chooses between short and long, so the long one. */
static unsigned judged_variant(const struct mir_program *program, const struct mir_instr *instr)
{
    bool has_long = isa_info(instr->op)->variants[program->gfx] >> ISA_VARIANT_E64 & 1;
    if (instr->variant == ISA_VARIANT_BASE && has_long && !instr->keep_variant)
        return ISA_VARIANT_E64;
    return instr->variant == ISA_VARIANT_E64 && !has_long ? ISA_VARIANT_BASE : instr->variant;
}

static unsigned scalar_limit(unsigned op)
{
    return op == ISA_OP_V_LSHLREV_B64 || op == ISA_OP_V_LSHRREV_B64 || op == ISA_OP_V_ASHRREV_I64 ? 1 : 2;
}

static bool is_legal_operand(const struct mir_program *program, const struct mir_instr *instr, unsigned kinds,
                             unsigned place, const struct mir_operand *operand, bool *literal)
{
    const struct isa_operand_info *about = &isa_info(instr->op)->operands[place];
    struct isa_operand inline_constant;
    *literal = false;
    switch (operand->kind) {
    case MIR_TEMP:
        return kinds & 1u << (program->temps[operand->temp].class.vector ? ISA_OPERAND_VGPR : ISA_OPERAND_SGPR);
    case MIR_REG:
        if (operand->reg >= MIR_REG_V0)
            return kinds & 1u << ISA_OPERAND_VGPR;
        return kinds & (1u << ISA_OPERAND_SPECIAL | 1u << ISA_OPERAND_SGPR);
    case MIR_CONST:
        if (about->name != ISA_NAME_K &&
            amd_mir_inline_constant(about->type, mir_source_dwords(program, about), operand->value, &inline_constant))
            return kinds & 1u << inline_constant.kind;
        *literal = true;
        /* A double's literal is its upper half. */
        if (about->type == ISA_TYPE_F64 && (uint32_t)operand->value == 0 && operand->dwords == 2)
            return kinds & 1u << ISA_OPERAND_LITERAL;
        return mir_source_dwords(program, about) < 2 && (kinds & 1u << ISA_OPERAND_LITERAL);
    default:
        return true;
    }
}

bool amd_opt_is_legal(const struct mir_program *program, const struct mir_instr *instr)
{
    struct mir_shape shape = amd_mir_shape_of(instr);
    unsigned variant = judged_variant(program, instr), scalars = 0, literals = 0;
    uint64_t seen[ISA_MAX_OPERANDS], the_literal = 0;
    bool vector = amd_opt_is_vector_alu(instr);
    for (unsigned i = 0; i < shape.num_sources && i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        bool literal;
        unsigned kinds = amd_isa_operand_kinds(program->gfx, instr->op, variant, shape.source[i]);
        if (!is_legal_operand(program, instr, kinds, shape.source[i], operand, &literal))
            return false;
        uint32_t word =
            (uint32_t)(operand->dwords == 2 && operand->kind == MIR_CONST ? operand->value >> 32 : operand->value);
        if (literal && literals && the_literal != word)
            return false;
        bool scalar = literal || (operand->kind == MIR_REG && operand->reg < MIR_REG_V0) ||
                      (operand->kind == MIR_TEMP && !program->temps[operand->temp].class.vector);
        if (!scalar)
            continue;
        uint64_t key = literal ? 1ull << 40 : operand->kind == MIR_REG ? 1ull << 41 | operand->reg : operand->temp;
        bool known = false;
        for (unsigned j = 0; j < scalars; j++)
            known |= seen[j] == key;
        if (!known)
            seen[scalars++] = key;
        literals |= literal;
        the_literal = literal ? word : the_literal;
    }
    /* A mask that is read implicitly counts as well. */
    for (unsigned i = shape.num_sources; vector && i < instr->num_operands; i++)
        scalars += instr->operands[i].fixed && instr->operands[i].reg == MIR_REG_VCC;
    return !vector || scalars <= scalar_limit(instr->op);
}

bool amd_opt_takes_clamp(const struct mir_program *program, unsigned op)
{
    const struct isa_op_info *info = isa_info(op);
    struct isa_inst inst = {.op = (uint16_t)op,
                            .variant = info->variants[program->gfx] >> ISA_VARIANT_E64 & 1 ? ISA_VARIANT_E64
                                                                                           : ISA_VARIANT_BASE};
    uint32_t words[ISA_MAX_DW];
    if (info->format < ISA_FORMAT_VOP1 || info->format > ISA_FORMAT_VOP3P || info->dst_count != 1)
        return false;
    inst.alu = amd_mir_plain(op).alu;
    inst.alu.clamp = 1;
    for (unsigned i = 0; i < info->operand_count; i++) {
        bool mask = info->operands[i].type == ISA_TYPE_MASK;
        inst.operands[i] = (struct isa_operand){
            .kind = mask ? ISA_OPERAND_SGPR : ISA_OPERAND_VGPR, .count = info->operands[i].count, .value = 2};
    }
    return amd_isa_encode(program->gfx, &inst, words, NULL) > 0;
}
