/* See facts.h. */
#include "mali/compiler/facts.h"

#include <string.h>

static bool is_wide_source(const struct mali_isa_inst *isa, unsigned source)
{
    const bool is_part = mali_isa_source_selection(isa->op, source) == MALI_ISA_SELECT_WIDEN64 &&
                         isa->sources[source].select != MALI_ISA_WIDEN64_NONE;
    return mali_isa_source_flags(isa->op, source) & MALI_ISA_SOURCE_WIDE && !is_part;
}

static bool is_wide_result(unsigned op)
{
    const char *name = mali_isa_name(op);
    const size_t length = strlen(name);
    return length > 2 && strcmp(name + length - 2, "64") == 0;
}

uint64_t mali_vir_source_registers(const struct mali_isa_inst *isa, unsigned source)
{
    return isa->sources[source].kind == MALI_ISA_SOURCE_REGISTER
               ? vir_registers(isa->sources[source].value, is_wide_source(isa, source) ? 2 : 1)
               : 0;
}

struct vir_facts mali_vir_facts(const struct mali_isa_inst *isa)
{
    struct vir_facts facts = {0};
    for (unsigned i = 0; i < mali_isa_source_count(isa->op); i++)
        facts.reads |= mali_vir_source_registers(isa, i);
    if (mali_isa_has_dst(isa->op))
        facts.writes = vir_registers(isa->dst, is_wide_result(isa->op) ? 2 : 1);
    for (unsigned i = 0; i < mali_isa_staging_count(isa->op); i++) {
        const uint64_t staging = vir_registers(isa->staging[i].reg, isa->staging[i].count);
        if (mali_isa_staging_is_written(isa->op, i))
            facts.message |= staging;
        if (mali_isa_staging_is_read(isa->op, i))
            facts.reads |= staging;
    }
    facts.writes |= facts.message;
    if (isa->op == MALI_ISA_OP_BRANCHZI) /* what a blend shader reads, and the program that it returns to */
        facts.reads |= ~0ull;
    return facts;
}

bool mali_vir_is_message(const struct mali_isa_inst *isa)
{
    return mali_isa_is_message(isa->op) && isa->op != MALI_ISA_OP_BARRIER;
}
