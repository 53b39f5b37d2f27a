/* Spilling: what does not fit into the registers goes to private memory, a dword for a component, and comes back before
 * each use. A walk over the program keeps the number of units that are alive below the limit: where it is exceeded, the
 * value whose uses cost least for the time that it lives is given up. Repeated until everything fits, for reloads need
 * registers, too. */
#include <string.h>

#include "compiler/machine/code.h"
#include "util/bits.h"

#define ROUNDS 16
#define NO_SLOT UINT32_MAX

struct spill {
    struct mach_program *program;
    uint32_t num_temps; /* before the round: what is new is not looked at */
    float *cost;        /* by temporary: uses, weighted by loops */
    uint32_t *length;   /* instructions over which it is alive */
    uint32_t *slot;     /* NO_SLOT: not spilled */
    bool *is_fixed;     /* must not be spilled: an input, or alive for a moment only */
    mach_temp *alive;   /* at the place of the walk */
    uint32_t *position; /* in `alive`, + 1; 0: not alive */
    uint32_t num_alive;
    uint32_t units, limit;
};

static unsigned units_of(const struct spill *spill, mach_temp temp)
{
    return mach_units(spill->program->temps[temp].class);
}

/* ---- the set of what is alive ---- */

static void begin_temp(struct spill *spill, mach_temp temp)
{
    if (spill->position[temp])
        return;
    spill->alive[spill->num_alive++] = temp;
    spill->position[temp] = spill->num_alive;
    if (spill->slot[temp] == NO_SLOT)
        spill->units += units_of(spill, temp);
}

static void end_temp(struct spill *spill, mach_temp temp)
{
    const uint32_t at = spill->position[temp];
    if (!at)
        return;
    const mach_temp last = spill->alive[--spill->num_alive];
    spill->alive[at - 1] = last;
    spill->position[last] = at;
    spill->position[temp] = 0;
    if (spill->slot[temp] == NO_SLOT)
        spill->units -= units_of(spill, temp);
}

/* ---- costs ---- */

static void count_costs(struct spill *spill)
{
    mach_foreach_block(spill->program, block)
    {
        float weight = 1;
        uint32_t instrs = 0;
        for (unsigned i = 0; i < block->loop_depth && i < 8; i++)
            weight *= 8;
        mach_foreach_instr(block, instr)
        {
            instrs++;
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == MACH_TEMP)
                    spill->cost[instr->operands[i].temp] += weight;
            }
            for (unsigned i = 0; i < instr->num_defs; i++) {
                spill->cost[instr->defs[i].temp] += weight;
                spill->is_fixed[instr->defs[i].temp] |= instr->op == MACH_P_START;
            }
        }
        live_foreach(&spill->program->live, out, block->index, temp) spill->length[temp] += instrs;
    }
}

static bool is_named(const struct mach_instr *instr, mach_temp temp)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP && instr->operands[i].temp == temp)
            return true;
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp == temp)
            return true;
    }
    return false;
}

/* Values that are alive here and not named by the instruction. */
static bool give_up_one(struct spill *spill, const struct mach_instr *instr)
{
    mach_temp best = 0;
    float least = 0;
    for (uint32_t i = 0; i < spill->num_alive; i++) {
        const mach_temp temp = spill->alive[i];
        if (spill->slot[temp] != NO_SLOT || spill->is_fixed[temp] || is_named(instr, temp))
            continue;
        const float cost = spill->cost[temp] / (float)((spill->length[temp] + 1) * units_of(spill, temp));
        if (!best || cost < least) {
            best = temp;
            least = cost;
        }
    }
    if (!best)
        return false;
    spill->units -= units_of(spill, best);
    spill->program->temps[best].is_spilled = true;
    spill->slot[best] = spill->program->spilled_B / 4;
    spill->program->spilled_B += 4u * spill->program->temps[best].class.comps;
    return true;
}

/* ---- the walk ---- */

static void visit_instr(struct spill *spill, const struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands && instr->op != MACH_P_PHI; i++) {
        if (instr->operands[i].kind == MACH_TEMP)
            begin_temp(spill, instr->operands[i].temp); /* a reload is alive here, too */
    }
    uint32_t reloads = 0;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mach_operand *operand = &instr->operands[i];
        if (operand->kind == MACH_TEMP && spill->slot[operand->temp] != NO_SLOT)
            reloads += units_of(spill, operand->temp);
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp)
            begin_temp(spill, instr->defs[i].temp);
    }
    while (spill->units + reloads > spill->limit && give_up_one(spill, instr))
        ;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MACH_TEMP && instr->operands[i].is_kill && instr->op != MACH_P_PHI)
            end_temp(spill, instr->operands[i].temp);
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && instr->defs[i].is_dead)
            end_temp(spill, instr->defs[i].temp);
    }
}

static void walk_program(struct spill *spill)
{
    mach_foreach_block(spill->program, block)
    {
        while (spill->num_alive)
            end_temp(spill, spill->alive[spill->num_alive - 1]);
        live_foreach(&spill->program->live, in, block->index, temp) begin_temp(spill, temp);
        mach_foreach_instr(block, instr) visit_instr(spill, instr);
    }
}

/* ---- memory ---- */

static void access(struct spill *spill, struct list *before, bool is_store, mach_temp value, uint32_t slot)
{
    spill->program->machine->access_spill(spill->program, before, is_store, value, slot);
    spill->program->spills++;
}

/* After the instruction that writes it, or after all phis and inputs of its block. */
static struct list *place_after(const struct mach_block *block, struct mach_instr *instr)
{
    struct list *place = instr->link.next;
    while (place != &block->instrs) {
        const unsigned op = container_of(place, struct mach_instr, link)->op;
        if (op != MACH_P_PHI && op != MACH_P_START)
            break;
        place = place->next;
    }
    return place;
}

static mach_temp reload_temp(struct spill *spill, struct list *before, mach_temp temp)
{
    const mach_temp copy = mach_new_temp(spill->program, spill->program->temps[temp].class);
    spill->program->temps[copy].is_spilled = true;
    access(spill, before, false, copy, spill->slot[temp]);
    return copy;
}

static bool is_spilled(const struct spill *spill, mach_temp temp)
{
    return temp && temp < spill->num_temps && spill->slot[temp] != NO_SLOT;
}

static void rewrite_operands(struct spill *spill, const struct mach_block *block, struct mach_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        struct mach_operand *operand = &instr->operands[i];
        if (operand->kind != MACH_TEMP || !is_spilled(spill, operand->temp))
            continue;
        const mach_temp temp = operand->temp;
        struct list *before = &instr->link;
        if (instr->op == MACH_P_PHI) /* at the end of the way that it comes by */
            before = spill->program->blocks[block->preds[i]].instrs.prev;
        operand->temp = reload_temp(spill, before, temp);
        for (unsigned j = i + 1; j < instr->num_operands && instr->op != MACH_P_PHI; j++) {
            if (instr->operands[j].kind == MACH_TEMP && instr->operands[j].temp == temp)
                instr->operands[j].temp = operand->temp;
        }
    }
}

static void rewrite_program(struct spill *spill)
{
    mach_foreach_block(spill->program, block)
    {
        for (struct list *link = block->instrs.next, *next; link != &block->instrs; link = next) {
            struct mach_instr *instr = container_of(link, struct mach_instr, link);
            next = link->next;
            if (instr->is_spill)
                continue;
            rewrite_operands(spill, block, instr);
            for (unsigned i = 0; i < instr->num_defs; i++) {
                if (is_spilled(spill, instr->defs[i].temp))
                    access(spill, place_after(block, instr), true, instr->defs[i].temp,
                           spill->slot[instr->defs[i].temp]);
            }
        }
    }
}

/* ---- rounds ---- */

static void run_round(struct mach_program *program, uint32_t limit)
{
    struct spill spill = {.program = program, .num_temps = program->num_temps, .limit = limit};
    spill.cost = mach_alloc(program, program->num_temps * sizeof(*spill.cost));
    spill.length = mach_alloc(program, program->num_temps * sizeof(*spill.length));
    spill.slot = mach_alloc(program, program->num_temps * sizeof(*spill.slot));
    spill.is_fixed = mach_alloc(program, program->num_temps * sizeof(*spill.is_fixed));
    spill.alive = mach_alloc(program, program->num_temps * sizeof(*spill.alive));
    spill.position = mach_alloc(program, program->num_temps * sizeof(*spill.position));
    memset(spill.slot, 0xff, program->num_temps * sizeof(*spill.slot));
    count_costs(&spill);
    for (mach_temp temp = 1; temp < program->num_temps; temp++)
        spill.is_fixed[temp] |= program->temps[temp].is_spilled;
    walk_program(&spill);
    rewrite_program(&spill);
}

void mach_spill(struct mach_program *program)
{
    const uint32_t limit = program->limit - program->slack;
    mach_find_kills(program);
    if (program->max_demand <= limit)
        return;
    if (program->machine->begin_spill)
        program->machine->begin_spill(program);
    for (unsigned round = 0; round < ROUNDS; round++) {
        mach_find_kills(program);
        if (program->max_demand <= limit)
            return;
        run_round(program, limit - MIN2(4 * round, limit / 2));
    }
    mach_find_kills(program);
    if (program->max_demand > program->limit)
        mach_fail(program, "%u pieces of registers are alive at once, and no more can be spilled", program->max_demand);
}
