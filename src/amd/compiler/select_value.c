/* The IR's values in machine registers: where one lives, how it is read in the form that an instruction wants. See
 * select.h. */
#include <string.h>

#include "amd/compiler/select.h"
#include "util/bits.h"

enum sel_place amd_sel_place_of(const struct select *ctx, const struct ir_value *value)
{
    return ctx->places[value->index];
}

unsigned amd_sel_value_dwords(const struct ir_value *value)
{
    return (unsigned)div_round_up((uint64_t)value->bits * value->comps, 32);
}

struct mir_class amd_sel_class_of(const struct select *ctx, const struct ir_value *value)
{
    unsigned dwords = amd_sel_value_dwords(value);
    switch (amd_sel_place_of(ctx, value)) {
    case SEL_VGPR:
        return MIR_V((uint8_t)dwords);
    case SEL_MASK:
        return ctx->program->lane_mask;
    case SEL_BOOL:
        return MIR_S(1);
    default:
        return MIR_S((uint8_t)dwords);
    }
}

static struct sel_value *value_of(struct select *ctx, const struct ir_value *value)
{
    return &ctx->values[value->index];
}

void amd_sel_anchor(struct select *ctx, const struct ir_value *value)
{
    struct sel_value *v = value_of(ctx, value);
    v->anchor = ctx->program->blocks[ctx->block].instrs.prev;
    v->block = ctx->block;
}

void amd_sel_define(struct select *ctx, const struct ir_value *value, mir_temp temp)
{
    struct sel_value *v = value_of(ctx, value);
    struct mir_class want = amd_sel_class_of(ctx, value);
    if (want.dwords != amd_sel_dwords(ctx, temp))
        sel_fail(ctx, "internal: value %u of %u dwords was made with %u", value->index, want.dwords,
                 amd_sel_dwords(ctx, temp));
    if (want.vector)
        temp = amd_sel_to_vgpr(ctx, temp);
    else if (value->bits > 1)
        temp = amd_sel_readfirst(ctx, temp);
    v->temp = temp;
    amd_sel_anchor(ctx, value);
}

void amd_sel_define_elems(struct select *ctx, const struct ir_value *value, unsigned count, const mir_temp *dwords)
{
    struct sel_value *v = value_of(ctx, value);
    bool vector = amd_sel_class_of(ctx, value).vector;
    if (count == 1) {
        amd_sel_define(ctx, value, dwords[0]);
        return;
    }
    v->elems = amd_sel_alloc(ctx, count * sizeof(*v->elems));
    /* Scalar parts of a vector stay where they are, unless lanes that have left the loop want theirs. */
    bool moves = vector && ir_read_behind_loop(ir_def_instr(value));
    for (unsigned i = 0; i < count; i++)
        v->elems[i] = moves    ? amd_sel_to_vgpr(ctx, dwords[i])
                      : vector ? dwords[i]
                               : amd_sel_readfirst(ctx, dwords[i]);
    amd_sel_anchor(ctx, value);
}

/* Make instructions after a value's anchor instead of at the end. */
static struct mir_instr *instr_at_anchor(struct select *ctx, const struct sel_value *v, unsigned op, unsigned num_defs,
                                         unsigned num_operands)
{
    struct mir_builder b = {
        .program = ctx->program, .block = &ctx->program->blocks[v->block], .before = v->anchor->next};
    return amd_mir_new_instr(&b, op, num_defs, num_operands);
}

static mir_temp whole(struct select *ctx, const struct ir_value *value)
{
    struct sel_value *v = value_of(ctx, value);
    if (v->temp)
        return v->temp;
    if (!v->elems)
        sel_fail(ctx, "internal: value %u (%s) is read before it is made", value->index,
                 ir_info(ir_def_instr(value))->name);
    unsigned count = amd_sel_value_dwords(value);
    v->temp = amd_sel_temp(ctx, amd_sel_class_of(ctx, value));
    struct mir_instr *instr = instr_at_anchor(ctx, v, MIR_P_VECTOR, 1, count);
    instr->defs[0] = mir_result(v->temp);
    for (unsigned i = 0; i < count; i++)
        instr->operands[i] = mir_use(v->elems[i]);
    return v->temp;
}

static void take_apart(struct select *ctx, const struct ir_value *value)
{
    struct sel_value *v = value_of(ctx, value);
    unsigned count = amd_sel_value_dwords(value);
    if (v->elems)
        return;
    mir_temp from = whole(ctx, value);
    v->elems = amd_sel_alloc(ctx, count * sizeof(*v->elems));
    bool vector = amd_sel_is_vector(ctx, from);
    struct mir_instr *instr = instr_at_anchor(ctx, v, MIR_P_SPLIT, count, 1);
    instr->operands[0] = mir_use(from);
    for (unsigned i = 0; i < count; i++) {
        v->elems[i] = amd_sel_temp(ctx, vector ? MIR_V(1) : MIR_S(1));
        instr->defs[i] = mir_result(v->elems[i]);
    }
}

/* ---- reading ---- */

struct mir_operand amd_sel_use(struct select *ctx, const struct ir_value *value)
{
    if (ir_is_undef(value) && amd_sel_value_dwords(value) <= 2)
        return value->bits == 64 ? mir_const64(0) : mir_const(0);
    if (ir_is_const(value))
        return value->bits == 64 ? mir_const64(ir_const_u64(value)) : mir_const((uint32_t)ir_const_u64(value));
    return mir_use(whole(ctx, value));
}

static mir_temp constant_tuple(struct select *ctx, bool vector, unsigned dwords, uint64_t bits)
{
    if (dwords == 1)
        return amd_sel_copy(ctx, vector ? MIR_V(1) : MIR_S(1), mir_const((uint32_t)bits));
    mir_temp result = amd_sel_temp(ctx, vector ? MIR_V((uint8_t)dwords) : MIR_S((uint8_t)dwords));
    struct mir_instr *instr = amd_sel_instr(ctx, MIR_P_VECTOR, 1, dwords);
    instr->defs[0] = mir_result(result);
    for (unsigned i = 0; i < dwords; i++)
        instr->operands[i] = mir_const(i == 0 ? (uint32_t)bits : i == 1 ? (uint32_t)(bits >> 32) : 0);
    return result;
}

static bool is_constant(const struct ir_value *value)
{
    return ir_is_const(value) || ir_is_undef(value);
}

static uint64_t constant_bits(const struct ir_value *value)
{
    return ir_is_const(value) ? ir_const_u64(value) : 0;
}

mir_temp amd_sel_any(struct select *ctx, const struct ir_value *value)
{
    if (is_constant(value))
        return constant_tuple(ctx, false, amd_sel_value_dwords(value), constant_bits(value));
    return whole(ctx, value);
}

mir_temp amd_sel_vgpr(struct select *ctx, const struct ir_value *value)
{
    if (is_constant(value))
        return constant_tuple(ctx, true, amd_sel_value_dwords(value), constant_bits(value));
    return amd_sel_to_vgpr(ctx, whole(ctx, value));
}

mir_temp amd_sel_sgpr(struct select *ctx, const struct ir_value *value)
{
    return amd_sel_readfirst(ctx, amd_sel_any(ctx, value));
}

struct mir_operand amd_sel_use_dword(struct select *ctx, const struct ir_value *value, unsigned dword)
{
    if (is_constant(value))
        return mir_const((uint32_t)(dword < 2 ? constant_bits(value) >> dword * 32 : 0));
    return mir_use(amd_sel_value_dword(ctx, value, dword));
}

mir_temp amd_sel_value_dword(struct select *ctx, const struct ir_value *value, unsigned dword)
{
    if (is_constant(value))
        return amd_sel_copy(ctx, MIR_S(1), amd_sel_use_dword(ctx, value, dword));
    if (amd_sel_value_dwords(value) == 1)
        return whole(ctx, value);
    take_apart(ctx, value);
    return value_of(ctx, value)->elems[dword];
}

mir_temp amd_sel_component(struct select *ctx, const struct ir_value *value, unsigned comp)
{
    unsigned bit = comp * value->bits, shift = bit % 32;
    mir_temp dword = amd_sel_value_dword(ctx, value, bit / 32);
    if (shift == 0)
        return dword;
    if (amd_sel_is_vector(ctx, dword))
        return amd_sel_vop2(ctx, ISA_OP_V_LSHRREV_B32, mir_const(shift), mir_use(dword));
    return amd_sel_sop2(ctx, ISA_OP_S_LSHR_B32, 1, mir_use(dword), mir_const(shift));
}

/* ---- one bit ---- */

struct mir_operand amd_sel_mask(struct select *ctx, const struct ir_value *value)
{
    if (is_constant(value))
        return amd_sel_mask_const(ctx, constant_bits(value) & 1);
    if (amd_sel_place_of(ctx, value) == SEL_MASK)
        return mir_use(whole(ctx, value));
    bool inverted;
    mir_temp scc = amd_sel_scc(ctx, value, &inverted);
    return mir_use(amd_sel_cselect(ctx, ctx->program->lane_mask.dwords, amd_sel_mask_const(ctx, !inverted),
                                   amd_sel_mask_const(ctx, inverted), scc));
}

mir_temp amd_sel_scc(struct select *ctx, const struct ir_value *value, bool *inverted_out)
{
    *inverted_out = false;
    if (is_constant(value))
        return amd_sel_sopc(ctx, ISA_OP_S_CMP_LG_U32, mir_const(constant_bits(value) & 1), mir_const(0));
    if (amd_sel_place_of(ctx, value) == SEL_MASK)
        return amd_sel_mask_scc(ctx, SEL_AND, mir_use(whole(ctx, value)), amd_sel_exec(ctx));
    const struct ir_instr *def = ir_def_instr(value);
    mir_temp scc;
    if (amd_sel_is_scalar_compare(ctx, def) && amd_sel_compare_scc(ctx, def, &scc))
        return scc;
    if (def->op == IR_OP_inot) {
        scc = amd_sel_scc(ctx, ir_src(def, 0), inverted_out);
        *inverted_out = !*inverted_out;
        return scc;
    }
    return amd_sel_sopc(ctx, ISA_OP_S_CMP_LG_U32, mir_use(whole(ctx, value)), mir_const(0));
}

mir_temp amd_sel_bool(struct select *ctx, const struct ir_value *value)
{
    if (is_constant(value))
        return amd_sel_copy(ctx, MIR_S(1), mir_const(constant_bits(value) & 1));
    if (amd_sel_place_of(ctx, value) == SEL_BOOL && value_of(ctx, value)->temp)
        return value_of(ctx, value)->temp;
    bool inverted;
    mir_temp scc = amd_sel_scc(ctx, value, &inverted);
    return amd_sel_cselect(ctx, 1, mir_const(!inverted), mir_const(inverted), scc);
}

void amd_sel_define_scc(struct select *ctx, const struct ir_value *value, mir_temp scc)
{
    if (amd_sel_place_of(ctx, value) == SEL_MASK) {
        unsigned dwords = ctx->program->lane_mask.dwords;
        amd_sel_define(
            ctx, value,
            amd_sel_cselect(ctx, dwords, amd_sel_mask_const(ctx, true), amd_sel_mask_const(ctx, false), scc));
    } else {
        amd_sel_define(ctx, value, amd_sel_cselect(ctx, 1, mir_const(1), mir_const(0), scc));
    }
}
