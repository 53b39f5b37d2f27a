/* An instruction's effects on registers, once it has them (facts.c): for schedule.c and wait.c. */
#ifndef MALI_COMPILER_FACTS_H
#define MALI_COMPILER_FACTS_H

#include "mali/compiler/vir.h"

/* Sets of registers, by number. */
struct vir_facts {
    uint64_t reads, writes, message; /* message: of the writes, those that come by a slot */
};

static inline uint64_t vir_registers(unsigned first, unsigned count)
{
    return count ? ((count >= 64 ? 0 : 1ull << count) - 1) << first : 0;
}

struct vir_facts mali_vir_facts(const struct mali_isa_inst *isa);
uint64_t mali_vir_source_registers(const struct mali_isa_inst *isa, unsigned source);
/* Its results come by a slot. */
bool mali_vir_is_message(const struct mali_isa_inst *isa);

#endif
