/* Figures of machine code, of any compiler's: they are read off the words. */
#include "mali/compiler/compiler.h"
#include "mali/isa/isa.h"
#include "util/bits.h"

/* The pointer to a thread's own memory, among the special values of page 1. */
#define PAGE_OF_POINTERS 1
#define THREAD_LOCAL_POINTER 2

static uint64_t run_of_bits(unsigned first, unsigned count)
{
    return count ? (count >= 64 ? UINT64_MAX : (1ull << count) - 1) << first : 0;
}

static uint64_t registers_of(const struct mali_isa_inst *inst)
{
    uint64_t named = mali_isa_has_dst(inst->op) ? run_of_bits(inst->dst, 1) : 0;
    for (unsigned i = 0; i < mali_isa_source_count(inst->op); i++) {
        const bool is_wide = mali_isa_source_flags(inst->op, i) & MALI_ISA_SOURCE_WIDE;
        if (inst->sources[i].kind == MALI_ISA_SOURCE_REGISTER)
            named |= run_of_bits(inst->sources[i].value, is_wide ? 2 : 1);
    }
    for (unsigned i = 0; i < mali_isa_staging_count(inst->op); i++)
        named |= run_of_bits(inst->staging[i].reg, inst->staging[i].count);
    return named;
}

static bool is_private(const struct mali_isa_inst *inst)
{
    return inst->sources[0].kind == MALI_ISA_SOURCE_SPECIAL && inst->page == PAGE_OF_POINTERS &&
           inst->sources[0].value / 2 * 2 == THREAD_LOCAL_POINTER;
}

void mali_statistics_of_code(const uint64_t *words, uint32_t count, struct mali_statistics *s)
{
    uint64_t named = 0;
    *s = (struct mali_statistics){0};
    for (uint32_t i = 0; i < count; i++) {
        struct mali_isa_inst inst;
        if (!words[i] || mali_isa_decode(words[i], &inst) != 0) /* between and after programs */
            continue;
        s->instructions++;
        s->nops += inst.op == MALI_ISA_OP_NOP;
        s->moves += inst.op == MALI_ISA_OP_MOV_I32;
        s->messages += mali_isa_is_message(inst.op);
        s->private_accesses += mali_isa_is_message(inst.op) && is_private(&inst);
        s->waits += inst.flow >= MALI_ISA_FLOW_WAIT0 && inst.flow <= MALI_ISA_FLOW_WAIT;
        s->loops += inst.op == MALI_ISA_OP_BRANCHZ && (int32_t)inst.number[0] < 0;
        named |= registers_of(&inst);
    }
    s->registers = (uint32_t)__builtin_popcountll(named);
    s->has_all_registers = named & run_of_bits(16, 32);
}
