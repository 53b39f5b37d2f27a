/* A parallel copy as a sequence of moves: first what overwrites nothing that is still read, then the cycles. Vector
 * cycles are swapped in place; scalar ones go over a spare register, for a swap of scalars would destroy scc. */
#include <string.h>

#include "amd/compiler/lower.h"
#include "util/bits.h"

void amd_lower_add_move(struct lower_moves *moves, mir_reg to, const struct mir_operand *from, unsigned dword)
{
    if (from->kind == MIR_UNDEF || from->kind == MIR_NONE || moves->count == LOWER_MAX_MOVES)
        return;
    struct lower_move move = {.to = to, .from = MIR_REG_NONE};
    if (from->kind == MIR_CONST)
        move.value = (uint32_t)(from->value >> (dword ? 32 : 0));
    else
        move.from = (mir_reg)(from->reg + (from->reg == MIR_REG_SCC ? 0 : dword));
    if (move.from != to)
        moves->list[moves->count++] = move;
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

struct mir_instr *amd_lower_build(struct mir_builder *builder, unsigned op, mir_reg def, struct mir_operand a)
{
    return amd_lower_build2(builder, op, def, 1, a, (struct mir_operand){0});
}

struct resolver {
    struct mir_builder *builder;
    struct lower_moves *moves;
    uint8_t readers[512]; /* of each register, among the moves that are left */
    int16_t writer[512];  /* the move into a register, or -1 */
    bool done[LOWER_MAX_MOVES];
};

static struct mir_operand source_of(const struct lower_move *move)
{
    return move->from == MIR_REG_NONE ? mir_const(move->value) : mir_reg_use(move->from, 1);
}

static void emit_one(struct resolver *resolver, const struct lower_move *move)
{
    struct mir_builder *builder = resolver->builder;
    if (move->to == MIR_REG_SCC)
        amd_lower_build2(builder, ISA_OP_S_CMP_LG_U32, MIR_REG_NONE, 0, source_of(move), mir_const(0));
    else
        amd_lower_build(builder, move->to >= MIR_REG_V0 ? ISA_OP_V_MOV_B32 : ISA_OP_S_MOV_B32, move->to,
                        source_of(move));
    builder->program->copies++;
}

static void finish_move(struct resolver *resolver, unsigned index)
{
    const struct lower_move *move = &resolver->moves->list[index];
    resolver->done[index] = true;
    resolver->writer[move->to] = -1;
    if (move->from != MIR_REG_NONE)
        resolver->readers[move->from]--;
}

static bool is_ready(const struct resolver *resolver, int index)
{
    return index >= 0 && !resolver->done[index] && resolver->readers[resolver->moves->list[index].to] == 0;
}

static bool is_inline_pair(uint32_t low, uint32_t high)
{
    return (low <= 64 && high == 0) || (low >= 0xfffffff0u && high == UINT32_MAX);
}

/* Two scalars at once, where both halves are aligned, ready and go together. */
static bool emit_pair(struct resolver *resolver, unsigned index)
{
    const struct lower_move *move = &resolver->moves->list[index];
    unsigned low_reg = move->to & ~1u;
    if (move->to >= 108)
        return false;
    int low = resolver->writer[low_reg], high = resolver->writer[low_reg + 1];
    if (low < 0 || high < 0)
        return false;
    const struct lower_move *a = &resolver->moves->list[low], *b = &resolver->moves->list[high];
    struct mir_operand source;
    if (a->from == MIR_REG_NONE && b->from == MIR_REG_NONE) {
        if (!is_inline_pair(a->value, b->value))
            return false;
        source = mir_const64(a->value | (uint64_t)b->value << 32);
    } else {
        if (a->from == MIR_REG_NONE || a->from % 2 || b->from != a->from + 1 || a->from >= 128)
            return false;
        source = mir_reg_use(a->from, 2);
    }
    if (!is_ready(resolver, low) || !is_ready(resolver, high))
        return false;
    struct mir_instr *instr = amd_lower_build(resolver->builder, ISA_OP_S_MOV_B64, a->to, source);
    instr->defs[0].dwords = 2;
    resolver->builder->program->copies++;
    finish_move(resolver, (unsigned)low);
    finish_move(resolver, (unsigned)high);
    return true;
}

static bool emit_ready(struct resolver *resolver)
{
    bool progress = false;
    for (unsigned i = 0; i < resolver->moves->count; i++) {
        if (resolver->done[i] || !is_ready(resolver, (int)i))
            continue;
        if (!emit_pair(resolver, i)) {
            emit_one(resolver, &resolver->moves->list[i]);
            finish_move(resolver, i);
        }
        progress = true;
    }
    return progress;
}

/* v_swap gives the first register its value; a reader of the old one finds it in the other. */
static void swap_vectors(struct resolver *resolver, unsigned index)
{
    struct lower_move *move = &resolver->moves->list[index];
    mir_reg a = move->to, b = move->from;
    struct mir_builder *builder = resolver->builder;
    struct mir_instr *swap = amd_mir_new_instr(builder, ISA_OP_V_SWAP_B32, 2, 2);
    swap->defs[0] = (struct mir_def){.reg = a, .fixed = true, .dwords = 1};
    swap->defs[1] = (struct mir_def){.reg = b, .fixed = true, .dwords = 1};
    swap->operands[0] = mir_reg_use(b, 1);
    swap->operands[1] = mir_reg_use(a, 1);
    builder->program->copies++;
    finish_move(resolver, index);
    for (unsigned i = 0; i < resolver->moves->count; i++) {
        struct lower_move *other = &resolver->moves->list[i];
        if (resolver->done[i] || other->from == MIR_REG_NONE)
            continue;
        if (other->from == a || other->from == b) {
            resolver->readers[other->from]--;
            other->from = other->from == a ? b : a;
            resolver->readers[other->from]++;
        }
        if (other->from == other->to)
            finish_move(resolver, i);
    }
}

static void break_scalar_cycle(struct resolver *resolver, unsigned index, mir_reg spare)
{
    mir_reg saved = resolver->moves->list[index].to;
    if (spare == MIR_REG_NONE)
        amd_mir_fail(resolver->builder->program, "no register is left to exchange two scalars");
    amd_lower_build(resolver->builder, ISA_OP_S_MOV_B32, spare, mir_reg_use(saved, 1));
    resolver->builder->program->copies++;
    for (unsigned i = 0; i < resolver->moves->count; i++) {
        struct lower_move *other = &resolver->moves->list[i];
        if (!resolver->done[i] && other->from == saved) {
            other->from = spare;
            resolver->readers[saved]--;
            resolver->readers[spare]++;
        }
    }
}

static unsigned first_left(const struct resolver *resolver)
{
    for (unsigned i = 0; i < resolver->moves->count; i++) {
        if (!resolver->done[i])
            return i;
    }
    return UINT32_MAX;
}

void amd_lower_emit_moves(struct mir_builder *builder, struct lower_moves *moves, mir_reg spare)
{
    if (moves->count == 0)
        return;
    if (moves->count == LOWER_MAX_MOVES)
        amd_mir_fail(builder->program, "a parallel copy is too large");
    struct resolver resolver = {.builder = builder, .moves = moves};
    memset(resolver.writer, 0xff, sizeof(resolver.writer));
    for (unsigned i = 0; i < moves->count; i++) {
        resolver.writer[moves->list[i].to] = (int16_t)i;
        if (moves->list[i].from != MIR_REG_NONE)
            resolver.readers[moves->list[i].from]++;
    }
    for (;;) {
        while (emit_ready(&resolver))
            continue;
        unsigned left = first_left(&resolver);
        if (left == UINT32_MAX)
            return;
        if (moves->list[left].to >= MIR_REG_V0)
            swap_vectors(&resolver, left);
        else
            break_scalar_cycle(&resolver, left, spare);
    }
}
