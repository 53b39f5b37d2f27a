/* One instruction out of two: the first computes an operand of the second and nothing else reads it. What combines is
 * the table below; what cannot be expressed stays in amd_opt_combine's few special cases. */
#include <string.h>

#include "amd/compiler/optimise.h"
#include "util/bits.h"

/* Operands of the result: places 0 and 1 are the inner instruction's, 2 is the outer one's other operand. */
struct pair {
    uint16_t outer, inner, result;
    uint8_t order[3];
    int8_t inner_place; /* where the inner result stands in the outer instruction; -1: either place */
};

static const struct pair pairs[] = {
    {ISA_OP_V_ADD_NC_U32, ISA_OP_V_ADD_NC_U32, ISA_OP_V_ADD3_U32, {0, 1, 2}, -1},
    {ISA_OP_V_ADD_NC_U32, ISA_OP_V_LSHLREV_B32, ISA_OP_V_LSHL_ADD_U32, {1, 0, 2}, -1},
    {ISA_OP_V_ADD_NC_U32, ISA_OP_V_XOR_B32, ISA_OP_V_XAD_U32, {0, 1, 2}, -1},
    {ISA_OP_V_ADD_NC_U32, ISA_OP_V_MUL_U32_U24, ISA_OP_V_MAD_U32_U24, {0, 1, 2}, -1},
    {ISA_OP_V_ADD_NC_U32, ISA_OP_V_MUL_I32_I24, ISA_OP_V_MAD_I32_I24, {0, 1, 2}, -1},
    {ISA_OP_V_LSHLREV_B32, ISA_OP_V_ADD_NC_U32, ISA_OP_V_ADD_LSHL_U32, {0, 1, 2}, 1},
    {ISA_OP_V_OR_B32, ISA_OP_V_AND_B32, ISA_OP_V_AND_OR_B32, {0, 1, 2}, -1},
    {ISA_OP_V_OR_B32, ISA_OP_V_LSHLREV_B32, ISA_OP_V_LSHL_OR_B32, {1, 0, 2}, -1},
    {ISA_OP_V_OR_B32, ISA_OP_V_OR_B32, ISA_OP_V_OR3_B32, {0, 1, 2}, -1},
    {ISA_OP_V_XOR_B32, ISA_OP_V_XOR_B32, ISA_OP_V_XOR3_B32, {0, 1, 2}, -1},
    {ISA_OP_V_MAX_F32, ISA_OP_V_MAX_F32, ISA_OP_V_MAX3_F32, {0, 1, 2}, -1},
    {ISA_OP_V_MIN_F32, ISA_OP_V_MIN_F32, ISA_OP_V_MIN3_F32, {0, 1, 2}, -1},
    {ISA_OP_V_MAX_I32, ISA_OP_V_MAX_I32, ISA_OP_V_MAX3_I32, {0, 1, 2}, -1},
    {ISA_OP_V_MIN_I32, ISA_OP_V_MIN_I32, ISA_OP_V_MIN3_I32, {0, 1, 2}, -1},
    {ISA_OP_V_MAX_U32, ISA_OP_V_MAX_U32, ISA_OP_V_MAX3_U32, {0, 1, 2}, -1},
    {ISA_OP_V_MIN_U32, ISA_OP_V_MIN_U32, ISA_OP_V_MIN3_U32, {0, 1, 2}, -1},
    /* a scalar instruction inside a vector one: one less, and one value less */
    {ISA_OP_V_ADD_NC_U32, ISA_OP_S_LSHL_B32, ISA_OP_V_LSHL_ADD_U32, {0, 1, 2}, -1},
    {ISA_OP_V_ADD_NC_U32, ISA_OP_S_ADD_U32, ISA_OP_V_ADD3_U32, {0, 1, 2}, -1},
    {ISA_OP_V_ADD_NC_U32, ISA_OP_S_ADD_I32, ISA_OP_V_ADD3_U32, {0, 1, 2}, -1},
    {ISA_OP_V_OR_B32, ISA_OP_S_LSHL_B32, ISA_OP_V_LSHL_OR_B32, {0, 1, 2}, -1},
    {ISA_OP_V_OR_B32, ISA_OP_S_AND_B32, ISA_OP_V_AND_OR_B32, {0, 1, 2}, -1},
    {ISA_OP_V_OR_B32, ISA_OP_S_OR_B32, ISA_OP_V_OR3_B32, {0, 1, 2}, -1},
    {ISA_OP_V_XOR_B32, ISA_OP_S_XOR_B32, ISA_OP_V_XOR3_B32, {0, 1, 2}, -1},
    /* scalar: two operands are left, see combine_scalar */
    {ISA_OP_S_AND_B32, ISA_OP_S_NOT_B32, ISA_OP_S_ANDN2_B32, {2, 0, 0}, -1},
    {ISA_OP_S_AND_B64, ISA_OP_S_NOT_B64, ISA_OP_S_ANDN2_B64, {2, 0, 0}, -1},
    {ISA_OP_S_OR_B32, ISA_OP_S_NOT_B32, ISA_OP_S_ORN2_B32, {2, 0, 0}, -1},
    {ISA_OP_S_OR_B64, ISA_OP_S_NOT_B64, ISA_OP_S_ORN2_B64, {2, 0, 0}, -1},
    {ISA_OP_S_NOT_B32, ISA_OP_S_XOR_B32, ISA_OP_S_XNOR_B32, {0, 1, 0}, 0},
    {ISA_OP_S_NOT_B64, ISA_OP_S_XOR_B64, ISA_OP_S_XNOR_B64, {0, 1, 0}, 0},
};

static bool has_listed_scc(const struct mir_instr *instr)
{
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].fixed && instr->defs[i].reg == MIR_REG_SCC && instr->defs[i].temp)
            return true;
    }
    return false;
}

/* The instruction that can become a part: plain, with one result that only this operand reads. */
static struct mir_instr *inner_of(const struct optimiser *optimiser, const struct mir_operand *operand, unsigned op)
{
    struct mir_instr *inner = opt_def(optimiser, operand);
    if (!inner || inner->op != op || operand->fixed || optimiser->uses[operand->temp] != 1 || has_listed_scc(inner) ||
        inner->defs[0].fixed)
        return NULL;
    for (unsigned i = 0; i < inner->num_operands; i++) {
        if (!opt_is_in_reach(optimiser, &inner->operands[i]))
            return NULL;
    }
    bool vector = amd_opt_is_vector_alu(inner);
    return !vector || amd_opt_is_plain(inner) ? inner : NULL;
}

/* Make `instr` what `op` and `operands` say if that has an encoding. */
static bool try_become(struct optimiser *optimiser, struct mir_instr *instr, unsigned op, unsigned count,
                       const struct mir_operand *operands)
{
    struct mir_program *program = optimiser->program;
    struct mir_instr plain = amd_mir_plain(op), trial = *instr;
    struct mir_operand copy[ISA_MAX_OPERANDS];
    memcpy(copy, operands, count * sizeof(*copy));
    trial.op = (uint16_t)op;
    trial.alu = plain.alu;
    trial.operands = copy;
    trial.num_operands = count;
    trial.variant = isa_info(op)->variants[program->gfx] >> ISA_VARIANT_E64 & 1 ? ISA_VARIANT_E64 : ISA_VARIANT_BASE;
    if (!amd_opt_is_legal(program, &trial))
        return false;
    for (unsigned i = 0; i < instr->num_operands; i++)
        amd_opt_replace(optimiser, &instr->operands[i], (struct mir_operand){0});
    if (count > instr->num_operands)
        instr->operands = amd_mir_alloc(program, count * sizeof(*instr->operands));
    instr->op = (uint16_t)op;
    instr->variant = trial.variant;
    instr->alu = plain.alu;
    instr->num_operands = count;
    memset(instr->operands, 0, count * sizeof(*instr->operands));
    for (unsigned i = 0; i < count; i++)
        amd_opt_replace(optimiser, &instr->operands[i], copy[i]);
    return true;
}

static bool combine_pair(struct optimiser *optimiser, struct mir_instr *instr, const struct pair *pair)
{
    unsigned outer_count = isa_info(instr->op)->operand_count - isa_info(instr->op)->dst_count;
    unsigned count = isa_info(pair->result)->operand_count - isa_info(pair->result)->dst_count;
    for (unsigned place = 0; place < outer_count; place++) {
        if (pair->inner_place >= 0 && place != (unsigned)pair->inner_place)
            continue;
        const struct mir_instr *inner = inner_of(optimiser, &instr->operands[place], pair->inner);
        if (!inner)
            continue;
        struct mir_operand from[3] = {inner->operands[0],
                                      inner->num_operands > 1 ? inner->operands[1] : inner->operands[0],
                                      instr->operands[outer_count > 1 ? 1 - place : 0]};
        struct mir_operand operands[3];
        for (unsigned i = 0; i < count; i++)
            operands[i] = from[pair->order[i]];
        if (try_become(optimiser, instr, pair->result, count, operands))
            return true;
    }
    return false;
}

/* ---- special cases ---- */

static bool is_const(const struct mir_operand *operand, uint32_t *value)
{
    *value = (uint32_t)operand->value;
    return operand->kind == MIR_CONST;
}

/* (a >> n) & mask, with a mask of consecutive low bits: a bit field. */
static bool combine_bit_field(struct optimiser *optimiser, struct mir_instr *instr)
{
    for (unsigned place = 0; place < 2; place++) {
        uint32_t mask, shift;
        const struct mir_instr *inner = inner_of(optimiser, &instr->operands[place], ISA_OP_V_LSHRREV_B32);
        if (!inner || !is_const(&instr->operands[1 - place], &mask) || !is_const(&inner->operands[0], &shift) ||
            mask == 0 || (mask & (mask + 1)) || shift > 31)
            continue;
        struct mir_operand operands[3] = {inner->operands[1], mir_const(shift),
                                          mir_const((uint32_t)__builtin_popcount(mask))};
        if (try_become(optimiser, instr, ISA_OP_V_BFE_U32, 3, operands))
            return true;
    }
    return false;
}

/* (a << n) | (b >> 32 - n): the bits do not meet, so that a sum or a difference of bits is the same. */
static bool combine_funnel(struct optimiser *optimiser, struct mir_instr *instr)
{
    for (unsigned place = 0; place < 2; place++) {
        uint32_t left, right;
        const struct mir_instr *high = inner_of(optimiser, &instr->operands[place], ISA_OP_V_LSHLREV_B32),
                               *low = inner_of(optimiser, &instr->operands[1 - place], ISA_OP_V_LSHRREV_B32);
        if (!high || !low || !is_const(&high->operands[0], &left) || !is_const(&low->operands[0], &right) ||
            left > 31 || right > 31 || left + right != 32)
            continue;
        struct mir_operand operands[3] = {high->operands[1], low->operands[1], mir_const(right)};
        if (try_become(optimiser, instr, ISA_OP_V_ALIGNBIT_B32, 3, operands))
            return true;
    }
    return false;
}

static bool is_same(const struct mir_operand *a, const struct mir_operand *b)
{
    return a->kind == MIR_TEMP && b->kind == MIR_TEMP && a->temp == b->temp && !a->fixed && !b->fixed;
}

/* (a & b) | (~a & c), or with a sum or a difference of bits. */
static bool combine_choice(struct optimiser *optimiser, struct mir_instr *instr)
{
    const struct mir_instr *sides[2] = {inner_of(optimiser, &instr->operands[0], ISA_OP_V_AND_B32),
                                        inner_of(optimiser, &instr->operands[1], ISA_OP_V_AND_B32)};
    for (unsigned way = 0; sides[0] && sides[1] && way < 8; way++) {
        const struct mir_instr *plain = sides[way & 1], *other = sides[~way & 1];
        const struct mir_operand *mask = &plain->operands[way >> 1 & 1], *inverted = &other->operands[way >> 2 & 1];
        const struct mir_instr *inverse = opt_def(optimiser, inverted);
        if (!inverse || inverse->op != ISA_OP_V_NOT_B32 || !amd_opt_is_plain(inverse) ||
            !is_same(&inverse->operands[0], mask))
            continue;
        struct mir_operand operands[3] = {*mask, plain->operands[~way >> 1 & 1], other->operands[~way >> 2 & 1]};
        if (try_become(optimiser, instr, ISA_OP_V_BFI_B32, 3, operands))
            return true;
    }
    return false;
}

/* (a << n) + b for n up to four. The carry would be another one. */
static bool combine_scalar_shift(struct optimiser *optimiser, struct mir_instr *instr)
{
    static const uint16_t ops[] = {ISA_OP_S_LSHL1_ADD_U32, ISA_OP_S_LSHL2_ADD_U32, ISA_OP_S_LSHL3_ADD_U32,
                                   ISA_OP_S_LSHL4_ADD_U32};
    for (unsigned place = 0; place < 2 && !has_listed_scc(instr); place++) {
        uint32_t shift;
        const struct mir_instr *inner = inner_of(optimiser, &instr->operands[place], ISA_OP_S_LSHL_B32);
        if (!inner || !is_const(&inner->operands[1], &shift) || shift < 1 || shift > 4)
            continue;
        struct mir_operand operands[2] = {inner->operands[0], instr->operands[1 - place]};
        if (try_become(optimiser, instr, ops[shift - 1], 2, operands))
            return true;
    }
    return false;
}

/* max(x, x) with clamp is x with clamp, if x can have it. */
static bool combine_clamp(struct optimiser *optimiser, struct mir_instr *instr)
{
    struct mir_instr plain = amd_mir_plain(instr->op);
    plain.alu.clamp = 1;
    const struct mir_operand *a = &instr->operands[0], *b = &instr->operands[1];
    if (memcmp(&plain.alu, &instr->alu, sizeof(plain.alu)) != 0 || a->kind != MIR_TEMP || b->kind != MIR_TEMP ||
        a->temp != b->temp || a->fixed || b->fixed)
        return false;
    struct mir_instr *inner = optimiser->def[a->temp];
    if (!inner || mir_is_pseudo(inner) || optimiser->uses[a->temp] != 2 || inner->num_defs != 1 || inner->defs[0].fixed)
        return false;
    bool free_form = inner->variant == ISA_VARIANT_BASE || inner->variant == ISA_VARIANT_E64;
    if (!free_form || isa_info(inner->op)->operands[0].type != isa_info(instr->op)->operands[0].type ||
        !amd_opt_is_vector_alu(inner) || !amd_opt_takes_clamp(optimiser->program, inner->op) || inner->alu.clamp)
        return false;
    inner->alu.clamp = 1;
    struct mir_operand value = *a;
    amd_opt_replace(optimiser, &instr->operands[1], (struct mir_operand){0});
    instr->op = MIR_P_COPY;
    instr->variant = 0;
    instr->num_operands = 1;
    memset(&instr->alu, 0, sizeof(instr->alu));
    amd_opt_replace(optimiser, &instr->operands[0], value);
    return true;
}

/* ---- addresses ---- */

#define MAX_LDS_OFFSET_B 65535

/* Two offsets of eight bits each, in units of the element: where both still fit. */
static bool add_to_pair(struct mir_instr *instr, uint32_t offset_B)
{
    const struct isa_op_info *info = isa_info(instr->op);
    uint32_t unit_B = info->element == ISA_TYPE_B64 || info->element == ISA_TYPE_U64 ? 8 : 4;
    uint32_t low = (uint32_t)instr->mem.offset & 255, high = (uint32_t)instr->mem.offset >> 8 & 255,
             step = offset_B / unit_B;
    bool far = strstr(amd_isa_op_name(ISA_GFX10_3, instr->op), "st64") != NULL;
    if (far || offset_B % unit_B || low + step > 255 || high + step > 255)
        return false;
    instr->mem.offset = (int32_t)((low + step) | (high + step) << 8);
    return true;
}

/* An address of LDS that a constant was added to: the instruction adds it for nothing. (The sum wraps around in both
 * cases.) */
static bool fold_lds_offset(struct optimiser *optimiser, struct mir_instr *instr)
{
    const struct isa_op_info *info = isa_info(instr->op);
    struct mir_operand *address = &instr->operands[0];
    if (info->properties & (ISA_PROP_CROSS_LANE | ISA_PROP_SWIZZLE | ISA_PROP_GWS) || info->memory == ISA_MEMORY_NONE ||
        instr->mem.gds || info->operands[info->dst_count].name != ISA_NAME_ADDR)
        return false;
    const struct mir_instr *add = opt_def(optimiser, address);
    if (!add || add->op != ISA_OP_V_ADD_NC_U32 || !amd_opt_is_plain(add))
        return false;
    for (unsigned place = 0; place < 2; place++) {
        uint32_t offset_B;
        const struct mir_operand *base = &add->operands[1 - place];
        if (!is_const(&add->operands[place], &offset_B) || base->kind != MIR_TEMP ||
            !opt_class(optimiser, base->temp).vector || base->fixed)
            continue;
        if (info->properties & ISA_PROP_OFFSET2) {
            if (!add_to_pair(instr, offset_B))
                return false;
        } else {
            if (offset_B > MAX_LDS_OFFSET_B || (uint32_t)instr->mem.offset + offset_B > MAX_LDS_OFFSET_B)
                return false;
            instr->mem.offset += (int32_t)offset_B;
        }
        amd_opt_replace(optimiser, address, mir_use(base->temp));
        return true;
    }
    return false;
}

bool amd_opt_combine(struct optimiser *optimiser, struct mir_instr *instr)
{
    if (!mir_is_pseudo(instr) && isa_info(instr->op)->format == ISA_FORMAT_DS && instr->num_operands)
        return fold_lds_offset(optimiser, instr);
    if (instr->op == ISA_OP_V_MAX_F32 || instr->op == ISA_OP_V_MAX_F16 || instr->op == ISA_OP_V_MAX_F64) {
        if (combine_clamp(optimiser, instr))
            return true;
    }
    bool vector = amd_opt_is_vector_alu(instr);
    if ((!vector && !amd_opt_is_scalar_alu(instr)) || (vector && !amd_opt_is_plain(instr)))
        return false;
    if (instr->op == ISA_OP_V_OR_B32 || instr->op == ISA_OP_V_XOR_B32 || instr->op == ISA_OP_V_ADD_NC_U32) {
        if (combine_funnel(optimiser, instr) || combine_choice(optimiser, instr))
            return true;
    }
    for (unsigned i = 0; i < ARRAY_SIZE(pairs); i++) {
        if (pairs[i].outer == instr->op && combine_pair(optimiser, instr, &pairs[i]))
            return true;
    }
    if (instr->op == ISA_OP_V_AND_B32)
        return combine_bit_field(optimiser, instr);
    if (instr->op == ISA_OP_S_ADD_U32 || instr->op == ISA_OP_S_ADD_I32)
        return combine_scalar_shift(optimiser, instr);
    return false;
}
