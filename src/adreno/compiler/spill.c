/* Spilling: what does not fit into the registers goes to private memory, a dword for a component, and comes back before
 * each use. A walk over the program keeps the number of halves that are alive below the limit: where it is exceeded, the
 * value whose uses cost least for the time that it lives is given up. Repeated until everything fits, for reloads need
 * registers, too. */
#include <string.h>

#include "adreno/compiler/air.h"
#include "util/bits.h"

#define ROUNDS 16
#define NO_SLOT UINT32_MAX
#define MAX_OFFSET_B 4092 /* of an access to private memory */

struct spill {
    struct air_program *program;
    uint32_t num_temps; /* before the round: what is new is not looked at */
    float *cost;        /* by temporary: uses, weighted by loops */
    uint32_t *length;   /* instructions over which it is alive */
    uint32_t *slot;     /* NO_SLOT: not spilled */
    bool *is_fixed;     /* must not be spilled: an input, or alive for a moment only */
    air_temp *alive;    /* at the place of the walk */
    uint32_t *position; /* in `alive`, + 1; 0: not alive */
    uint32_t num_alive;
    uint32_t halves, limit;
    air_temp zero; /* the address of everything */
};

static unsigned halves_of(const struct spill *spill, air_temp temp)
{
    return air_halves(spill->program->temps[temp].class);
}

/* ---- the set of what is alive ---- */

static void begin(struct spill *spill, air_temp temp)
{
    if (spill->position[temp])
        return;
    spill->alive[spill->num_alive++] = temp;
    spill->position[temp] = spill->num_alive;
    if (spill->slot[temp] == NO_SLOT)
        spill->halves += halves_of(spill, temp);
}

static void end(struct spill *spill, air_temp temp)
{
    const uint32_t at = spill->position[temp];
    if (!at)
        return;
    const air_temp last = spill->alive[--spill->num_alive];
    spill->alive[at - 1] = last;
    spill->position[last] = at;
    spill->position[temp] = 0;
    if (spill->slot[temp] == NO_SLOT)
        spill->halves -= halves_of(spill, temp);
}

/* ---- costs ---- */

static void count_costs(struct spill *spill)
{
    air_foreach_block(spill->program, block)
    {
        float weight = 1;
        uint32_t instrs = 0;
        for (unsigned i = 0; i < block->loop_depth && i < 8; i++)
            weight *= 8;
        air_foreach_instr(block, instr)
        {
            instrs++;
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == AIR_TEMP)
                    spill->cost[instr->operands[i].temp] += weight;
            }
            for (unsigned i = 0; i < instr->num_defs; i++) {
                spill->cost[instr->defs[i].temp] += weight;
                spill->is_fixed[instr->defs[i].temp] |= instr->isa.op == AIR_P_START;
            }
        }
        live_foreach(&spill->program->live, out, block->index, temp) spill->length[temp] += instrs;
    }
}

static bool is_named(const struct air_instr *instr, air_temp temp)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == AIR_TEMP && instr->operands[i].temp == temp)
            return true;
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp == temp)
            return true;
    }
    return false;
}

/* What is alive here and not named by the instruction. */
static bool give_up_one(struct spill *spill, const struct air_instr *instr)
{
    air_temp best = 0;
    float least = 0;
    for (uint32_t i = 0; i < spill->num_alive; i++) {
        const air_temp temp = spill->alive[i];
        if (spill->slot[temp] != NO_SLOT || spill->is_fixed[temp] || is_named(instr, temp))
            continue;
        const float cost = spill->cost[temp] / (float)((spill->length[temp] + 1) * halves_of(spill, temp));
        if (!best || cost < least) {
            best = temp;
            least = cost;
        }
    }
    if (!best)
        return false;
    spill->halves -= halves_of(spill, best);
    spill->program->temps[best].is_spilled = true;
    spill->slot[best] = spill->program->spilled_B / 4;
    spill->program->spilled_B += 4u * spill->program->temps[best].class.comps;
    return true;
}

/* ---- the walk ---- */

static void visit(struct spill *spill, const struct air_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands && instr->isa.op != AIR_P_PHI; i++) {
        if (instr->operands[i].kind == AIR_TEMP)
            begin(spill, instr->operands[i].temp); /* a reload is alive here, too */
    }
    uint32_t reloads = 0;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct air_operand *operand = &instr->operands[i];
        if (operand->kind == AIR_TEMP && spill->slot[operand->temp] != NO_SLOT)
            reloads += halves_of(spill, operand->temp);
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp)
            begin(spill, instr->defs[i].temp);
    }
    while (spill->halves + reloads > spill->limit && give_up_one(spill, instr))
        ;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == AIR_TEMP && instr->operands[i].is_kill && instr->isa.op != AIR_P_PHI)
            end(spill, instr->operands[i].temp);
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp && instr->defs[i].is_dead)
            end(spill, instr->defs[i].temp);
    }
}

static void walk(struct spill *spill)
{
    air_foreach_block(spill->program, block)
    {
        while (spill->num_alive)
            end(spill, spill->alive[spill->num_alive - 1]);
        live_foreach(&spill->program->live, in, block->index, temp) begin(spill, temp);
        air_foreach_instr(block, instr) visit(spill, instr);
    }
}

/* ---- memory ---- */

static air_temp number(struct air_program *program, struct list *before, uint32_t value)
{
    struct air_builder builder = {program, before};
    struct air_instr *mov = adreno_air_instr(&builder, ADRENO_ISA_OP_MOV, 1, 1);
    mov->isa.field[ADRENO_ISA_FIELD_SRC_TYPE] = mov->isa.field[ADRENO_ISA_FIELD_DST_TYPE] = AIR_U32;
    mov->operands[0] = air_number((int32_t)value);
    mov->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    mov->defs[0].temp = adreno_air_temp(program, AIR_FULL(1));
    program->temps[mov->defs[0].temp].is_spilled = true;
    return mov->defs[0].temp;
}

static void access(struct spill *spill, struct list *before, bool is_store, air_temp value, uint32_t slot)
{
    struct air_builder builder = {spill->program, before};
    const struct air_class class = spill->program->temps[value].class;
    const bool is_far = slot * 4 > MAX_OFFSET_B;
    const air_temp base = is_far ? number(spill->program, before, slot * 4) : spill->zero;
    struct air_instr *instr =
        is_store ? adreno_air_form(&builder, AIR_FORM_STP, 0, 2) : adreno_air_form(&builder, AIR_FORM_LDP, value, 1);
    instr->is_spill = true;
    instr->isa.field[ADRENO_ISA_FIELD_TYPE] = class.is_half ? AIR_U16 : AIR_U32;
    instr->isa.field[ADRENO_ISA_FIELD_SIZE] = class.comps;
    instr->isa.field[ADRENO_ISA_FIELD_OFFSET] = (int16_t)(is_far ? 0 : slot * 4);
    instr->operands[0] = air_use(base);
    instr->operands[0].place = ADRENO_ISA_PLACE_SRC0;
    if (!is_store)
        return;
    instr->operands[1] = air_use(value);
    instr->operands[1].place = ADRENO_ISA_PLACE_SRC1;
    instr->has_effect = true;
}

/* After the instruction that writes it, or after all phis and inputs of its block. */
static struct list *place_after(const struct air_block *block, struct air_instr *instr)
{
    struct list *place = instr->link.next;
    while (place != &block->instrs) {
        const unsigned op = container_of(place, struct air_instr, link)->isa.op;
        if (op != AIR_P_PHI && op != AIR_P_START)
            break;
        place = place->next;
    }
    return place;
}

static air_temp reload(struct spill *spill, struct list *before, air_temp temp)
{
    const air_temp copy = adreno_air_temp(spill->program, spill->program->temps[temp].class);
    spill->program->temps[copy].is_spilled = true;
    access(spill, before, false, copy, spill->slot[temp]);
    return copy;
}

static bool is_spilled(const struct spill *spill, air_temp temp)
{
    return temp && temp < spill->num_temps && spill->slot[temp] != NO_SLOT;
}

static void rewrite_operands(struct spill *spill, const struct air_block *block, struct air_instr *instr)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        struct air_operand *operand = &instr->operands[i];
        if (operand->kind != AIR_TEMP || !is_spilled(spill, operand->temp))
            continue;
        const air_temp temp = operand->temp;
        struct list *before = &instr->link;
        if (instr->isa.op == AIR_P_PHI) /* at the end of the way that it comes by */
            before = spill->program->blocks[block->preds[i]].instrs.prev;
        operand->temp = reload(spill, before, temp);
        for (unsigned j = i + 1; j < instr->num_operands && instr->isa.op != AIR_P_PHI; j++) {
            if (instr->operands[j].kind == AIR_TEMP && instr->operands[j].temp == temp)
                instr->operands[j].temp = operand->temp;
        }
    }
}

static void rewrite(struct spill *spill)
{
    air_foreach_block(spill->program, block)
    {
        for (struct list *link = block->instrs.next, *next; link != &block->instrs; link = next) {
            struct air_instr *instr = container_of(link, struct air_instr, link);
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

static air_temp make_zero(struct air_program *program)
{
    struct list *place = program->blocks[0].instrs.next;
    while (place != &program->blocks[0].instrs && container_of(place, struct air_instr, link)->isa.op == AIR_P_START)
        place = place->next;
    return number(program, place, 0);
}

static void run_round(struct air_program *program, air_temp zero, uint32_t limit)
{
    struct spill spill = {.program = program, .num_temps = program->num_temps, .zero = zero, .limit = limit};
    spill.cost = adreno_air_alloc(program, program->num_temps * sizeof(*spill.cost));
    spill.length = adreno_air_alloc(program, program->num_temps * sizeof(*spill.length));
    spill.slot = adreno_air_alloc(program, program->num_temps * sizeof(*spill.slot));
    spill.is_fixed = adreno_air_alloc(program, program->num_temps * sizeof(*spill.is_fixed));
    spill.alive = adreno_air_alloc(program, program->num_temps * sizeof(*spill.alive));
    spill.position = adreno_air_alloc(program, program->num_temps * sizeof(*spill.position));
    memset(spill.slot, 0xff, program->num_temps * sizeof(*spill.slot));
    count_costs(&spill);
    for (air_temp temp = 1; temp < program->num_temps; temp++)
        spill.is_fixed[temp] |= program->temps[temp].is_spilled;
    walk(&spill);
    rewrite(&spill);
}

void adreno_air_spill(struct air_program *program)
{
    const uint32_t limit = program->limit - AIR_SLACK_HALVES;
    adreno_air_liveness(program);
    if (program->max_demand <= limit)
        return;
    const air_temp zero = make_zero(program);
    for (unsigned round = 0; round < ROUNDS; round++) {
        adreno_air_liveness(program);
        if (program->max_demand <= limit)
            return;
        run_round(program, zero, limit - MIN2(4 * round, limit / 2));
    }
    adreno_air_liveness(program);
    if (program->max_demand > program->limit)
        adreno_air_fail(program, "%u registers are alive at once, and no more can be spilled", program->max_demand / 2);
}
