/* Values that live across a call (function.h). Scalars and vectors keep their registers, and lower_call.c stores and
 * loads them around the call; which those are is written down here, as operands of the call. Vectors that would cost
 * less where they are written and read have been spilled before (spill.c). Scalars are not, for where the mask of
 * lanes that wait is written or read perhaps no lane is active. */
#include <string.h>

#include "amd/compiler/liveness.h"
#include "amd/compiler/spill.h"
#include "util/bits.h"

#define FRAME_ALIGN_B 16

bool amd_spill_has_call(const struct mir_block *block)
{
    mir_foreach_instr(block, instr)
    {
        if (instr->op == MIR_P_CALL)
            return true;
    }
    return false;
}

/* Values that are alive after an instruction, in a walk from a block's end. */
struct alive {
    const struct mir_program *program;
    mir_temp *list;
    uint32_t *place; /* by temporary: in the list + 1, or 0 */
    uint32_t count;
};

static void add_temp(struct alive *alive, mir_temp temp)
{
    if (!temp || alive->place[temp])
        return;
    alive->list[alive->count++] = temp;
    alive->place[temp] = alive->count;
}

static void drop_temp(struct alive *alive, mir_temp temp)
{
    if (!temp || !alive->place[temp])
        return;
    mir_temp last = alive->list[--alive->count];
    alive->list[alive->place[temp] - 1] = last;
    alive->place[last] = alive->place[temp];
    alive->place[temp] = 0;
}

static void pass_instr(struct alive *alive, const struct mir_instr *instr)
{
    for (unsigned i = 0; i < instr->num_defs; i++)
        drop_temp(alive, instr->defs[i].temp);
    for (unsigned i = 0; !mir_is_phi(instr) && i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MIR_TEMP)
            add_temp(alive, instr->operands[i].temp);
    }
}

static void begin_block(struct alive *alive, const struct mir_block *block)
{
    while (alive->count)
        drop_temp(alive, alive->list[alive->count - 1]);
    mir_foreach_live_out(alive->program->live, block, temp) add_temp(alive, temp);
}

static struct alive new_alive(struct mir_program *program)
{
    return (struct alive){.program = program,
                          .list = amd_mir_alloc(program, program->num_temps * sizeof(mir_temp)),
                          .place = amd_mir_alloc(program, program->num_temps * sizeof(uint32_t))};
}

/* The loop over addresses around a call seldom turns; and a call under a condition is not made in each turn. */
static uint32_t weight_of_call(const struct mir_block *block)
{
    uint32_t weight = amd_spill_weight(block->loop_depth ? block->loop_depth - 1u : 0);
    return block->divergent_depth > block->loop_depth + 1u ? MAX2(weight / 2, 1u) : weight;
}

uint32_t *amd_spill_call_costs(struct mir_program *program)
{
    uint32_t *costs = amd_mir_alloc(program, program->num_temps * sizeof(*costs));
    struct alive alive = new_alive(program);
    mir_foreach_block(program, block)
    {
        if (!amd_spill_has_call(block))
            continue;
        begin_block(&alive, block);
        for (struct list *link = block->instrs.prev; link != &block->instrs; link = link->prev) {
            const struct mir_instr *instr = container_of(link, struct mir_instr, link);
            for (uint32_t i = 0; instr->op == MIR_P_CALL && i < alive.count; i++)
                costs[alive.list[i]] += 2 * weight_of_call(block);
            pass_instr(&alive, instr);
        }
    }
    return costs;
}

/* The call with what is alive after it behind its operands. Gives how many dwords of the frame that takes. */
static uint32_t name_alive(struct mir_program *program, const struct alive *alive, struct mir_instr *call)
{
    uint32_t scalars = 0, vectors = 0;
    struct mir_operand *operands =
        amd_mir_alloc(program, (call->num_operands + alive->count) * sizeof(*call->operands));
    memcpy(operands, call->operands, call->num_operands * sizeof(*operands));
    call->operands = operands;
    for (uint32_t i = 0; i < alive->count; i++) {
        struct mir_class class = program->temps[alive->list[i]].class;
        call->operands[call->num_operands++] = mir_use(alive->list[i]);
        *(class.vector ? &vectors : &scalars) += class.dwords;
    }
    return vectors + (uint32_t)div_round_up(scalars, program->wave_size);
}

void amd_spill_finish_frame(struct mir_program *program)
{
    struct alive alive = new_alive(program);
    uint32_t saved = 0;
    mir_foreach_block(program, block)
    {
        if (!amd_spill_has_call(block))
            continue;
        begin_block(&alive, block);
        for (struct list *link = block->instrs.prev; link != &block->instrs; link = link->prev) {
            struct mir_instr *instr = container_of(link, struct mir_instr, link);
            struct mir_instr as_it_was = *instr;
            if (instr->op == MIR_P_CALL)
                saved = MAX2(saved, name_alive(program, &alive, instr) + program->linear_vgprs);
            pass_instr(&alive, &as_it_was);
        }
    }
    program->save_slot = program->num_vgpr_slots;
    /* A kernel that has nothing of its own on the stack is given one all the same. */
    program->scratch_size_B = (uint32_t)align_u64(MAX2(program->save_slot + saved, 1u) * 4ull, FRAME_ALIGN_B);
}
