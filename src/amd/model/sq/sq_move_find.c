/* See sq_move.h: where a block's end is a move, and its steps. */
#include <stddef.h>

#include "amd/model/sq/sq_alu.h"
#include "amd/model/sq/sq_memory.h"
#include "amd/model/sq/sq_move.h"
#include "amd/model/sq/sq_uops.h"
#include "model/exec/run.h"
#include "util/bits.h"
#include "util/debug.h"

#define LEAST_STORES 2

/* ---- micro-operations ---- */

enum kind {
    KIND_OTHER,
    KIND_SCALAR,
    KIND_XOR,
    KIND_LOAD,
    KIND_STORE,
    KIND_END,
};

static unsigned dwords_of(const struct isa_inst *inst)
{
    switch (inst->op) {
    case ISA_OP_GLOBAL_LOAD_DWORD:
    case ISA_OP_GLOBAL_STORE_DWORD:
        return inst->mem.lds ? 0 : 1;
    case ISA_OP_GLOBAL_LOAD_DWORDX2:
    case ISA_OP_GLOBAL_STORE_DWORDX2:
        return 2;
    case ISA_OP_GLOBAL_LOAD_DWORDX4:
    case ISA_OP_GLOBAL_STORE_DWORDX4:
        return 4;
    default:
        return 0;
    }
}

static bool is_xor(const struct isa_inst *inst)
{
    return (inst->op == ISA_OP_V_XOR_B32 || inst->op == ISA_OP_V_XOR3_B32) &&
           (inst->variant == ISA_VARIANT_BASE || inst->variant == ISA_VARIANT_E64);
}

static bool is_scalar(const struct sq_uop *uop, const struct isa_op_info *info)
{
    switch (info->format) {
    case ISA_FORMAT_SOP1:
    case ISA_FORMAT_SOP2:
    case ISA_FORMAT_SOPK:
    case ISA_FORMAT_SOPC:
        return uop->run == amd_sq_alu_kernels[uop->inst->op] || uop->run == amd_sq_uop_read_status;
    case ISA_FORMAT_SMEM:
        return uop->run == amd_sq_smem_load || uop->run == amd_sq_smem_buffer_load;
    default:
        return false;
    }
}

static enum kind kind_of(const struct sq_uop *uop)
{
    if (!uop->inst)
        return KIND_OTHER;
    const struct isa_op_info *info = isa_info(uop->inst->op);
    if (uop->inst->op == ISA_OP_S_ENDPGM)
        return KIND_END;
    if (dwords_of(uop->inst))
        return info->memory == ISA_MEMORY_LOAD ? KIND_LOAD : KIND_STORE;
    if (is_xor(uop->inst)) /* with what spreads its operands */
        return KIND_XOR;
    return is_scalar(uop, info) ? KIND_SCALAR : KIND_OTHER;
}

/* Entries of runs stand between the instructions. */
static bool is_entry(const struct sq_builder *builder, uint32_t index)
{
    for (const struct exec_run *run = builder->exec.runs; run; run = run->older) {
        if (run->head_index == index)
            return true;
    }
    return false;
}

/* ---- registers ---- */

/* The content of a vector register at the step at hand. */
struct content {
    uint8_t load; /* SQ_MOVE_NO_LOAD: none; otherwise dword `part` of it */
    uint8_t part;
    uint8_t word;    /* not 0: a row, changed by this word */
    uint16_t row_of; /* the register whose row it is */
};

struct finder {
    const struct sq_builder *builder;
    struct sq_move *move;
    struct content registers[256];
    uint32_t stores;
    uint32_t load_at[SQ_MOVE_LOADS]; /* micro-operations */
    uint32_t cause; /* of a step that does not fit: the load whose result it needs; UINT32_MAX: itself */
};

/* Addresses are not made of what was loaded here: the move can begin after that load. */
static bool needs_load(struct finder *f, const struct content *content)
{
    if (content->load == SQ_MOVE_NO_LOAD)
        return false;
    f->cause = f->load_at[content->load];
    return true;
}

static sq_place row_place(const struct finder *f, unsigned number)
{
    return (sq_place)(offsetof(struct sq_wave, vgpr) + number * f->builder->exec.lanes * 4);
}

static bool is_plain(const struct finder *f, unsigned number)
{
    return number < 256 && f->registers[number].load == SQ_MOVE_NO_LOAD && f->registers[number].row_of == number &&
           !f->registers[number].word;
}

static const struct isa_operand *operand_named(const struct isa_inst *inst, unsigned name)
{
    const struct isa_op_info *info = isa_info(inst->op);
    for (unsigned i = 0; i < info->operand_count; i++) {
        if (info->operands[i].name == name)
            return &inst->operands[i];
    }
    return NULL;
}

/* ---- steps ---- */

static bool take_pattern(struct finder *f, struct sq_move_step *step, const struct sq_uop *uop)
{
    const struct isa_operand *address = operand_named(uop->inst, ISA_NAME_VADDR);
    if (!address)
        address = operand_named(uop->inst, ISA_NAME_ADDR);
    if (!address || address->kind != ISA_OPERAND_VGPR)
        return false;
    const struct content *content = &f->registers[address->value];
    bool is_long = uop->s[1] & SQ_BASE_CONSTANTS;
    if (needs_load(f, content) || (is_long && address->value < 255 && needs_load(f, content + 1)) ||
        (is_long && !(is_plain(f, address->value) && is_plain(f, address->value + 1u))))
        return false;
    struct sq_move *move = f->move;
    const sq_place place = row_place(f, content->row_of);
    uint32_t i = 0;
    while (i < move->pattern_count && move->patterns[i] != place)
        i++;
    if (i == SQ_MOVE_PATTERNS)
        return false;
    move->patterns[i] = place;
    move->pattern_count = i == move->pattern_count ? i + 1 : move->pattern_count;
    step->pattern = (uint8_t)i;
    step->word = content->word;
    step->dwords = (uint8_t)dwords_of(uop->inst);
    step->base = is_long ? 0 : uop->s[1];
    step->offset_B = (int32_t)uop->imm;
    return true;
}

static bool take_load(struct finder *f, struct sq_move_step *step, const struct sq_uop *uop)
{
    const struct isa_operand *to = operand_named(uop->inst, ISA_NAME_VDST);
    if (!to || to->kind != ISA_OPERAND_VGPR || !take_pattern(f, step, uop) || f->move->load_count == SQ_MOVE_LOADS ||
        to->value + step->dwords > 256u)
        return false;
    step->kind = SQ_MOVE_LOAD;
    step->load = (uint8_t)f->move->load_count++;
    f->load_at[step->load] = (uint32_t)(uop - amd_sq_uops(f->builder));
    for (uint8_t i = 0; i < step->dwords; i++)
        f->registers[to->value + i] = (struct content){.load = step->load, .part = i};
    return true;
}

static bool take_source(struct finder *f, struct sq_move_step *step, unsigned number)
{
    struct sq_move *move = f->move;
    const sq_place rows = row_place(f, number);
    for (unsigned i = 0; i < step->dwords; i++) {
        if (!is_plain(f, number + i))
            return false;
    }
    uint32_t i = 0;
    while (i < move->source_count && !(move->sources[i].rows == rows && move->sources[i].dwords == step->dwords))
        i++;
    if (i == SQ_MOVE_SOURCES)
        return false;
    move->sources[i].rows = rows;
    move->sources[i].dwords = step->dwords;
    move->source_count = i == move->source_count ? i + 1 : move->source_count;
    step->load = SQ_MOVE_NO_LOAD;
    step->source = (uint8_t)i;
    return true;
}

static bool take_store(struct finder *f, struct sq_move_step *step, const struct sq_uop *uop)
{
    const struct isa_operand *data = operand_named(uop->inst, ISA_NAME_VDATA);
    if (!data || data->kind != ISA_OPERAND_VGPR || !take_pattern(f, step, uop) || data->value + step->dwords > 256u)
        return false;
    step->kind = SQ_MOVE_STORE;
    f->stores++;
    const struct content *first = &f->registers[data->value];
    if (first->load == SQ_MOVE_NO_LOAD)
        return take_source(f, step, data->value);
    /* All of one load, in its order. */
    for (unsigned i = 0; i < step->dwords; i++) {
        if (first[i].load != first->load || first[i].part != i)
            return false;
    }
    for (uint32_t i = 0; i < f->move->step_count; i++) {
        const struct sq_move_step *load = &f->move->steps[i];
        if (load->kind == SQ_MOVE_LOAD && load->load == first->load && load->dwords != step->dwords)
            return false;
    }
    step->load = first->load;
    return true;
}

/* The micro-operations of one instruction, of which the last is the kernel; what spreads scalars is not needed. */
static bool take_xor(struct finder *f, struct sq_move_step *step, const struct sq_uop *first, const struct sq_uop *last)
{
    const struct isa_inst *inst = last->inst;
    const unsigned sources = inst->op == ISA_OP_V_XOR3_B32 ? 3 : 2;
    sq_place scalars[3];
    unsigned count = 0;
    const struct isa_operand *row = NULL;
    if (last->run != amd_sq_alu_kernels[inst->op] || inst->operands[0].kind != ISA_OPERAND_VGPR)
        return false;
    for (const struct sq_uop *uop = first; uop < last; uop++) {
        if (uop->run != amd_sq_uop_splat || uop->imm != 1 || count == 2)
            return false;
        scalars[count++] = uop->s[0];
    }
    for (unsigned i = 0; i < sources; i++) {
        const struct isa_operand *operand = &inst->operands[1 + i];
        if (operand->kind != ISA_OPERAND_VGPR) {
            if (last->s[i] & SQ_BASE_CONSTANTS && count < 3)
                scalars[count++] = last->s[i]; /* any lane of a constant row */
            continue;
        }
        if (row)
            return false;
        row = operand;
    }
    if (!row || count != sources - 1 || f->move->word_count == SQ_MOVE_WORDS)
        return false;
    const struct content content = f->registers[row->value];
    if (needs_load(f, &content))
        return false;
    step->kind = SQ_MOVE_XOR;
    step->from = content.word;
    step->word = (uint8_t)f->move->word_count++;
    step->first = scalars[0];
    step->second = count == 2 ? scalars[1] : f->move->zero;
    f->registers[inst->operands[0].value] =
        (struct content){.load = SQ_MOVE_NO_LOAD, .word = step->word, .row_of = content.row_of};
    return true;
}

/* Steps of the micro-operations from `first` to the block's last one. The number of the one that they cannot begin
 * before, or the count of all. */
static uint32_t take_steps(struct finder *f, uint32_t first)
{
    const struct sq_uop *uops = amd_sq_uops(f->builder);
    const uint32_t end = f->builder->exec.count - 1;
    f->stores = 0;
    f->cause = UINT32_MAX;
    f->move->pattern_count = f->move->source_count = f->move->load_count = f->move->step_count = 0;
    f->move->word_count = 1;
    for (uint16_t i = 0; i < 256; i++)
        f->registers[i] = (struct content){.load = SQ_MOVE_NO_LOAD, .row_of = i};
    for (uint32_t i = first; i < end; i++) {
        struct sq_move_step step = {.uop = &uops[i]};
        uint32_t last = i;
        bool fits = true;
        if (is_entry(f->builder, i))
            continue;
        switch (kind_of(&uops[i])) {
        case KIND_SCALAR:
            step.kind = isa_info(uops[i].inst->op)->format == ISA_FORMAT_SMEM ? SQ_MOVE_SCALAR_LOAD : SQ_MOVE_SCALAR;
            break;
        case KIND_XOR:
            while (last + 1 < end && uops[last + 1].inst == uops[i].inst)
                last++;
            fits = take_xor(f, &step, &uops[i], &uops[last]);
            break;
        case KIND_LOAD:
            fits = take_load(f, &step, &uops[i]);
            break;
        case KIND_STORE:
            fits = take_store(f, &step, &uops[i]);
            break;
        default:
            fits = false;
            break;
        }
        if (!fits)
            return f->cause != UINT32_MAX ? f->cause : last;
        f->move->steps[f->move->step_count++] = step;
        i = last;
    }
    return f->builder->exec.count;
}

/* ---- copies ---- */

/* False: its address is no scalar and offsets that are changed once. */
static bool take_side(const struct sq_move *move, const struct sq_move_step *step, struct sq_move_side *side)
{
    *side = (struct sq_move_side){step->base, move->zero, move->zero, step->offset_B, step->word};
    for (uint32_t i = move->scalar_count; step->word && i < move->step_count; i++) {
        const struct sq_move_step *made = &move->steps[i];
        if (made->kind != SQ_MOVE_XOR || made->word != step->word)
            continue;
        side->first = made->first;
        side->second = made->second;
        if (made->from)
            return false;
    }
    return step->base && step->dwords == 4;
}

static const struct sq_move_step *find_load(const struct sq_move *move, uint8_t load)
{
    const struct sq_move_step *step = &move->steps[move->scalar_count];
    while (step->kind != SQ_MOVE_LOAD || step->load != load)
        step++;
    return step;
}

/* Stores of what was loaded that need no more of the wave than its scalars and two patterns. */
static bool take_copies(struct sq_move *move)
{
    uint64_t stored = 0;
    move->copy_count = move->scalar_count = 0;
    while (move->scalar_count < move->step_count && move->steps[move->scalar_count].kind <= SQ_MOVE_SCALAR_LOAD)
        move->scalar_count++;
    for (uint32_t i = move->scalar_count; i < move->step_count; i++) {
        const struct sq_move_step *step = &move->steps[i];
        if (step->kind == SQ_MOVE_LOAD || step->kind == SQ_MOVE_XOR)
            continue;
        if (step->kind != SQ_MOVE_STORE || step->load == SQ_MOVE_NO_LOAD || move->copy_count == SQ_MOVE_LOADS)
            return false;
        const struct sq_move_step *load = find_load(move, step->load);
        struct sq_move_copy *copy = &move->copies[move->copy_count++];
        if (!take_side(move, load, &copy->from) || !take_side(move, step, &copy->to) ||
            (stored && (load->pattern != move->from_pattern || step->pattern != move->to_pattern)))
            return false;
        move->from_pattern = load->pattern;
        move->to_pattern = step->pattern;
        stored |= 1ull << step->load;
    }
    return move->copy_count && stored == bits_mask(move->load_count); /* what is not stored must be read, too */
}

/* ---- the block ---- */

/* The first micro-operation from which on all could be steps; whole instructions. */
static uint32_t find_first(const struct sq_builder *builder)
{
    const struct sq_uop *uops = amd_sq_uops(builder);
    uint32_t first = builder->exec.count - 1;
    if (kind_of(&uops[first]) != KIND_END)
        return first;
    while (first > 0 && (is_entry(builder, first - 1) ||
                         (kind_of(&uops[first - 1]) != KIND_OTHER && kind_of(&uops[first - 1]) != KIND_END)))
        first--;
    while (first > 0 && uops[first].inst == uops[first - 1].inst)
        first++;
    return first;
}

/* Make room for the move's own micro-operation. Runs that reach over it end there. */
static struct sq_uop *insert_uop(struct sq_builder *builder, uint32_t index)
{
    exec_build(&builder->exec);
    if (builder->exec.failed)
        return NULL;
    struct sq_uop *uops = amd_sq_uops(builder);
    memmove(&uops[index + 1], &uops[index], (builder->exec.count - 1 - index) * sizeof(*uops));
    for (struct exec_run *run = builder->exec.runs; run; run = run->older) {
        if (run->head_index >= index) {
            run->head_index++;
            run->limit_index++;
        } else if (run->limit_index > index) {
            run->limit_index = index;
        }
    }
    memset(&uops[index], 0, sizeof(*uops));
    return &uops[index];
}

void amd_sq_move_find(struct sq_builder *builder)
{
    if (builder->exec.failed || debug_enabled(DEBUG_STRICT) || debug_enabled(DEBUG_COHERENCE) ||
        debug_enabled(DEBUG_NOJIT) || builder->shared_vgpr || builder->exec.count < LEAST_STORES + 1)
        return;
    uint32_t first = find_first(builder), end = builder->exec.count - 1;
    if (end - first < LEAST_STORES)
        return;
    struct sq_move *move = amd_sq_code_alloc(builder->code, sizeof(*move) + (end - first) * sizeof(move->steps[0]));
    if (!move)
        return;
    memset(move, 0, sizeof(*move));
    move->lines.credit = move->fill.credit = INT8_MAX;
    move->zero = amd_sq_build_scalar_constant(builder, 0);
    struct finder f = {.builder = builder, .move = move};
    for (uint32_t stop; (stop = take_steps(&f, first)) <= end; first = stop + 1)
        ;
    if (f.stores < LEAST_STORES)
        return;
    struct sq_uop *uop = insert_uop(builder, first);
    if (!uop)
        return;
    uop->run = amd_sq_uop_move;
    uop->target_va = (uintptr_t)move;
    uop->next_va = uop[1].next_va;
    /* The micro-operations have moved. */
    take_steps(&f, first + 1);
    if (!take_copies(move))
        move->copy_count = 0;
    move->end = &amd_sq_uops(builder)[builder->exec.count - 1];
}
