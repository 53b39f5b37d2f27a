/* Instructions whose results nothing reads: selection takes whole vectors apart where a shader wants a component. */
#include "compiler/machine/code.h"

static bool is_needed(const struct mach_instr *instr, const uint32_t *uses)
{
    if (!instr->num_defs || instr->has_effect || instr->op == MACH_P_START)
        return true;
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (!instr->defs[i].temp || uses[instr->defs[i].temp])
            return true;
    }
    return false;
}

static void count_uses(const struct mach_instr *instr, uint32_t *uses, int sign)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP)
            uses[instr->operands[i].temp] += (uint32_t)sign;
    }
}

/* Backwards, so that what a removed instruction read is looked at afterwards. Phis that only read each other stay. */
void mach_drop_dead(struct mach_program *program)
{
    uint32_t *uses = mach_alloc(program, program->num_temps * sizeof(*uses));
    mach_foreach_block(program, block)
    {
        mach_foreach_instr(block, instr) count_uses(instr, uses, 1);
    }
    for (uint32_t i = program->num_blocks; i-- > 0;) {
        struct list *instrs = &program->blocks[i].instrs;
        for (struct list *link = instrs->prev, *next; link != instrs; link = next) {
            struct mach_instr *instr = container_of(link, struct mach_instr, link);
            next = link->prev;
            if (is_needed(instr, uses))
                continue;
            count_uses(instr, uses, -1);
            list_remove(&instr->link);
        }
    }
}
