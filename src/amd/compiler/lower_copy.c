/* Parallel copies as moves (compiler/machine/copies.h). Vector cycles are exchanged in place; scalar ones go over a
 * spare register, for an exchange of scalars would destroy scc. */
#include "amd/compiler/lower.h"

_Static_assert(MIR_REG_NONE == COPY_NO_REGISTER, "a copy without a source is that of a constant");

void amd_lower_add_move(struct mir_program *program, struct copies *copies, mir_reg to, const struct mir_operand *from,
                        unsigned dword)
{
    struct copy copy = {.to = to, .from = MIR_REG_NONE};
    if (from->kind == MIR_UNDEF || from->kind == MIR_NONE)
        return;
    if (from->kind == MIR_CONST)
        copy.value = (uint32_t)(from->value >> (dword ? 32 : 0));
    else
        copy.from = (mir_reg)(from->reg + (from->reg == MIR_REG_SCC ? 0 : dword));
    if (!copies_add(copies, copy))
        amd_mir_fail(program, "a parallel copy is too large");
}

struct mir_instr *amd_lower_build2(struct mir_builder *builder, unsigned op, mir_reg def, unsigned def_dwords,
                                   struct mir_operand a, struct mir_operand b)
{
    unsigned num_defs = def != MIR_REG_NONE, num_operands = b.kind != MIR_NONE ? 2 : 1;
    struct mir_instr *instr = amd_mir_new_instr(builder, op, num_defs, num_operands);
    if (num_defs)
        instr->defs[0] = (struct mir_def){.reg = def, .fixed = true, .dwords = (uint8_t)def_dwords};
    instr->operands[0] = a;
    if (num_operands == 2)
        instr->operands[1] = b;
    return instr;
}

static struct mir_instr *amd_lower_build(struct mir_builder *builder, unsigned op, mir_reg def, struct mir_operand a)
{
    return amd_lower_build2(builder, op, def, 1, a, (struct mir_operand){0});
}

struct emitter {
    struct mir_builder *builder;
    mir_reg spare;
};

static struct mir_operand source_of(const struct copy *copy)
{
    return copy->from == MIR_REG_NONE ? mir_const(copy->value) : mir_reg_use(copy->from, 1);
}

static void emit_move(void *state, const struct copy *copy)
{
    struct mir_builder *builder = ((struct emitter *)state)->builder;
    if (copy->to == MIR_REG_SCC)
        amd_lower_build2(builder, ISA_OP_S_CMP_LG_U32, MIR_REG_NONE, 0, source_of(copy), mir_const(0));
    else
        amd_lower_build(builder, copy->to >= MIR_REG_V0 ? ISA_OP_V_MOV_B32 : ISA_OP_S_MOV_B32, copy->to,
                        source_of(copy));
    builder->program->copies++;
}

static bool is_inline_pair(uint32_t low, uint32_t high)
{
    return (low <= 64 && high == 0) || (low >= 0xfffffff0u && high == UINT32_MAX);
}

/* The source of a pair of scalars, if one instruction can read it. */
static bool pair_source(const struct copy *low, const struct copy *high, struct mir_operand *source_out)
{
    if (low->from == MIR_REG_NONE && high->from == MIR_REG_NONE) {
        *source_out = mir_const64(low->value | (uint64_t)high->value << 32);
        return is_inline_pair(low->value, high->value);
    }
    *source_out = mir_reg_use(low->from, 2);
    return low->from != MIR_REG_NONE && low->from % 2 == 0 && high->from == low->from + 1 && low->from < 128;
}

/* Two scalars at once, where both halves are aligned, ready and go together. */
static const struct copy *emit_pair(void *state, const struct copy_plan *plan, const struct copy *copy)
{
    struct mir_builder *builder = ((struct emitter *)state)->builder;
    const struct copy *other = copy->to < 108 ? copies_ready(plan, copy->to ^ 1) : NULL;
    struct mir_operand source;
    if (!other || !pair_source(copy->to & 1 ? other : copy, copy->to & 1 ? copy : other, &source))
        return NULL;
    struct mir_instr *instr = amd_lower_build(builder, ISA_OP_S_MOV_B64, copy->to & ~1u, source);
    instr->defs[0].dwords = 2;
    builder->program->copies++;
    return other;
}

static bool exchange_regs(void *state, uint16_t a, uint16_t b)
{
    struct mir_builder *builder = ((struct emitter *)state)->builder;
    if (a < MIR_REG_V0)
        return false;
    struct mir_instr *swap = amd_mir_new_instr(builder, ISA_OP_V_SWAP_B32, 2, 2);
    swap->defs[0] = (struct mir_def){.reg = a, .fixed = true, .dwords = 1};
    swap->defs[1] = (struct mir_def){.reg = b, .fixed = true, .dwords = 1};
    swap->operands[0] = mir_reg_use(b, 1);
    swap->operands[1] = mir_reg_use(a, 1);
    builder->program->copies++;
    return true;
}

static uint16_t spare_of(void *state, uint16_t reg)
{
    return ((struct emitter *)state)->spare;
}

static const struct copy_ops copy_ops = {emit_move, emit_pair, exchange_regs, spare_of};

void amd_lower_emit_moves(struct mir_builder *builder, struct copies *copies, mir_reg spare)
{
    struct emitter emitter = {builder, spare};
    if (copies->count && !copies_resolve(copies, &copy_ops, &emitter))
        amd_mir_fail(builder->program, "no register is left to exchange two scalars");
}
