/* Spilling: values for which there are not enough registers are stored elsewhere, scalars in lanes of VGPRs that are
 * reserved for this, vectors in private memory.
 *
 * A value that is chosen is spilled for its whole life: it is stored where it is written and loaded before each use,
 * into a temporary that lives no longer than that. A constant is made anew instead. Chosen are, where demand is too
 * high, values that are alive there but not used, those with the cheapest uses first (uses in loops count more). A phi
 * that is chosen becomes a store at the end of each predecessor (spill_rewrite.c). This repeats until demand fits. What
 * lives across a call must be stored (spill_call.c): where it is written, as others are, or right around the call,
 * whichever costs less. */
#include <string.h>

#include "amd/compiler/liveness.h"
#include "amd/compiler/spill.h"
#include "util/bits.h"

#define MAX_ROUNDS 64

/* The values that are alive at the walk's place, and those of them that can be chosen: a heap by cost, of equal ones
 * by their place in the list. */
struct live_list {
    mir_temp *list, *heap, *held;
    uint32_t count, num_heap;
    uint32_t *place;   /* by temporary: in the list */
    uint32_t *heap_at; /* by temporary: place in the heap + 1, or 0 */
};

/* ---- what a value would cost ---- */

uint32_t amd_spill_weight(unsigned loop_depth)
{
    uint32_t weight = 1;
    for (unsigned i = 0; i < loop_depth && i < 5; i++)
        weight *= 8;
    return weight;
}

bool amd_spill_is_constant(const struct mir_instr *def)
{
    bool move = def->op == MIR_P_COPY || def->op == ISA_OP_S_MOV_B32 || def->op == ISA_OP_V_MOV_B32 ||
                def->op == ISA_OP_S_MOV_B64;
    return move && def->num_defs == 1 && def->num_operands == 1 && def->operands[0].kind == MIR_CONST &&
           !def->defs[0].fixed;
}

static void *resized(struct mir_program *program, void *old, uint32_t count, uint32_t capacity, size_t element_B)
{
    void *moved = amd_mir_alloc(program, capacity * element_B);
    if (count)
        memcpy(moved, old, count * element_B);
    return moved;
}

void amd_spill_reserve(struct spiller *spiller)
{
    struct mir_program *program = spiller->program;
    uint32_t old = spiller->capacity;
    if (program->num_temps <= old)
        return;
    uint32_t capacity = program->num_temps + program->num_temps / 2 + 64;
    spiller->cost = resized(program, spiller->cost, old, capacity, sizeof(*spiller->cost));
    spiller->slot = resized(program, spiller->slot, old, capacity, sizeof(*spiller->slot));
    spiller->chosen = resized(program, spiller->chosen, old, capacity, sizeof(bool));
    spiller->keep = resized(program, spiller->keep, old, capacity, sizeof(bool));
    spiller->alive = resized(program, spiller->alive, old, capacity, 1);
    for (uint32_t i = old; i < capacity; i++)
        spiller->slot[i] = SPILL_NO_SLOT;
    spiller->capacity = capacity;
}

static void find_costs(struct spiller *spiller)
{
    struct mir_program *program = spiller->program;
    memset(spiller->cost, 0, program->num_temps * sizeof(*spiller->cost));
    mir_foreach_block(program, block)
    {
        uint32_t weight = amd_spill_weight(block->loop_depth);
        mir_foreach_instr(block, instr)
        {
            for (unsigned i = 0; i < instr->num_operands; i++) {
                if (instr->operands[i].kind == MIR_TEMP)
                    spiller->cost[instr->operands[i].temp] += weight;
            }
            for (unsigned i = 0; i < instr->num_defs; i++) {
                const struct mir_def *def = &instr->defs[i];
                program->temps[def->temp].def = instr;
                if (!amd_spill_is_constant(instr))
                    spiller->cost[def->temp] += weight;
                /* A condition lives in scc, which nothing can store. */
                if (def->fixed && def->reg == MIR_REG_SCC)
                    spiller->keep[def->temp] = true;
            }
        }
    }
    spiller->keep[program->scratch_rsrc] = spiller->keep[program->scratch_offset] = true;
}

/* ---- choosing ---- */

static unsigned limit_of(const struct spiller *spiller)
{
    return spiller->vector ? spiller->max_vgprs : spiller->max_sgprs;
}

static bool is_named(const struct mir_instr *instr, mir_temp temp)
{
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MIR_TEMP && instr->operands[i].temp == temp)
            return true;
    }
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].temp == temp)
            return true;
    }
    return false;
}

static bool can_be_chosen(const struct spiller *spiller, mir_temp temp)
{
    return spiller_class_of(spiller, temp).vector == spiller->vector && !spiller->chosen[temp] && !spiller->keep[temp];
}

static bool is_before(const struct spiller *spiller, const struct live_list *live, mir_temp a, mir_temp b)
{
    uint64_t cost_a = (uint64_t)spiller->cost[a] * 64 / spiller_class_of(spiller, a).dwords,
             cost_b = (uint64_t)spiller->cost[b] * 64 / spiller_class_of(spiller, b).dwords;
    return cost_a != cost_b ? cost_a < cost_b : live->place[a] < live->place[b];
}

static void heap_put(struct live_list *live, uint32_t at, mir_temp temp)
{
    live->heap[at] = temp;
    live->heap_at[temp] = at + 1;
}

static void heap_rise(const struct spiller *spiller, struct live_list *live, mir_temp temp)
{
    uint32_t at = live->heap_at[temp] - 1;
    while (at && is_before(spiller, live, temp, live->heap[(at - 1) / 2])) {
        heap_put(live, at, live->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
    heap_put(live, at, temp);
}

static void heap_sink(const struct spiller *spiller, struct live_list *live, mir_temp temp)
{
    uint32_t at = live->heap_at[temp] - 1;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < live->num_heap && is_before(spiller, live, live->heap[child + 1], live->heap[child]))
            child++;
        if (child >= live->num_heap || !is_before(spiller, live, live->heap[child], temp))
            break;
        heap_put(live, at, live->heap[child]);
        at = child;
    }
    heap_put(live, at, temp);
}

static void heap_add(const struct spiller *spiller, struct live_list *live, mir_temp temp)
{
    heap_put(live, live->num_heap++, temp);
    heap_rise(spiller, live, temp);
}

static void heap_remove(const struct spiller *spiller, struct live_list *live, mir_temp temp)
{
    if (!live->heap_at[temp])
        return;
    uint32_t at = live->heap_at[temp] - 1;
    mir_temp last = live->heap[--live->num_heap];
    live->heap_at[temp] = 0;
    if (last == temp)
        return;
    heap_put(live, at, last);
    heap_rise(spiller, live, last);
    heap_sink(spiller, live, last);
}

/* The cheapest value that is alive here and not touched by the instruction, taken out of the heap; 0: there is none. */
static mir_temp take_victim(const struct spiller *spiller, struct live_list *live, const struct mir_instr *instr)
{
    /* Values that the instruction names are set aside meanwhile. */
    uint32_t held = 0;
    mir_temp best = 0;
    while (live->num_heap && !best) {
        mir_temp first = live->heap[0];
        heap_remove(spiller, live, first);
        if (instr && !mir_is_phi(instr) && is_named(instr, first)) {
            live->held[held++] = first;
        } else {
            best = first;
        }
    }
    while (held)
        heap_add(spiller, live, live->held[--held]);
    return best;
}

static unsigned demand_of(const struct spiller *spiller)
{
    return spiller->vector ? spiller->vgprs : spiller->sgprs;
}

static void count_temp(struct spiller *spiller, mir_temp temp, int sign)
{
    struct mir_class class = spiller_class_of(spiller, temp);
    if (class.vector != spiller->vector || spiller->chosen[temp])
        return;
    unsigned *demand = spiller->vector ? &spiller->vgprs : &spiller->sgprs;
    *demand = (unsigned)((int)*demand + sign * (int)mir_pressure_of(class));
}

static void add_alive(struct spiller *spiller, struct live_list *live, mir_temp temp)
{
    if (spiller->alive[temp])
        return;
    spiller->alive[temp] = 1;
    live->place[temp] = live->count;
    live->list[live->count++] = temp;
    if (can_be_chosen(spiller, temp))
        heap_add(spiller, live, temp);
    count_temp(spiller, temp, 1);
}

static void remove_alive(struct spiller *spiller, struct live_list *live, mir_temp temp)
{
    if (!spiller->alive[temp])
        return;
    count_temp(spiller, temp, -1);
    spiller->alive[temp] = 0;
    heap_remove(spiller, live, temp);
    mir_temp last = live->list[--live->count];
    live->list[live->place[temp]] = last;
    live->place[last] = live->place[temp];
    if (live->heap_at[last])
        heap_rise(spiller, live, last);
}

static bool reduce_pressure(struct spiller *spiller, struct live_list *live, const struct mir_instr *instr,
                            unsigned extra)
{
    bool any = false;
    while (demand_of(spiller) + extra > limit_of(spiller)) {
        mir_temp victim = take_victim(spiller, live, instr);
        if (!victim)
            break;
        count_temp(spiller, victim, -1);
        spiller->chosen[victim] = true;
        any = true;
    }
    return any;
}

/* Values that are alive after a call, where storing them around all calls costs more. */
static bool choose_at_call(struct spiller *spiller, struct live_list *live)
{
    bool any = false;
    for (uint32_t i = 0; i < live->count; i++) {
        mir_temp temp = live->list[i];
        if (!can_be_chosen(spiller, temp) || spiller->cost[temp] > spiller->call_cost[temp])
            continue;
        heap_remove(spiller, live, temp);
        count_temp(spiller, temp, -1);
        spiller->chosen[temp] = any = true;
    }
    return any;
}

/* Registers that an instruction needs beside the values that are alive: loads of operands that were chosen, copies
 * of old values, results beside late operands. */
static unsigned extra_demand(const struct spiller *spiller, const struct mir_instr *instr)
{
    unsigned before = 0, dead = 0;
    for (unsigned i = 0; !mir_is_phi(instr) && i < instr->num_operands; i++) {
        mir_temp temp = instr->operands[i].temp;
        if (instr->operands[i].kind == MIR_TEMP && spiller_class_of(spiller, temp).vector == spiller->vector &&
            spiller->chosen[temp])
            before += mir_pressure_of(spiller_class_of(spiller, temp));
    }
    bool late = false;
    for (unsigned i = 0; i < instr->num_operands; i++) {
        const struct mir_operand *operand = &instr->operands[i];
        late |= operand->late;
        if (operand->kind == MIR_TEMP && operand->fixed &&
            spiller_class_of(spiller, operand->temp).vector == spiller->vector)
            before += spiller_class_of(spiller, operand->temp).dwords;
    }
    struct mir_shape shape = {.tied_operand = {-1, -1, -1}};
    if (!mir_is_pseudo(instr))
        shape = amd_mir_shape_of(instr);
    for (unsigned i = 0; i < instr->num_defs; i++) {
        bool tied = i < 3 && shape.tied_operand[i] >= 0;
        struct mir_class class = spiller_class_of(spiller, instr->defs[i].temp);
        if (instr->defs[i].temp && class.vector == spiller->vector && (tied || late))
            dead += mir_pressure_of(class);
    }
    return before + dead;
}

static bool choose_in_block(struct spiller *spiller, const struct mir_block *block, struct live_list *live)
{
    const struct mir_live *sets = spiller->program->live;
    bool any = false;
    live->count = live->num_heap = 0;
    spiller->sgprs = spiller->vgprs = 0;
    mir_foreach_live_out(sets, block, temp) add_alive(spiller, live, temp);
    any |= reduce_pressure(spiller, live, NULL, 0);
    for (struct list *link = block->instrs.prev; link != &block->instrs; link = link->prev) {
        struct mir_instr *instr = container_of(link, struct mir_instr, link);
        for (unsigned i = 0; i < instr->num_defs; i++) {
            if (instr->defs[i].temp)
                add_alive(spiller, live, instr->defs[i].temp);
        }
        if (spiller->call_cost && instr->op == MIR_P_CALL)
            any |= choose_at_call(spiller, live);
        any |= reduce_pressure(spiller, live, instr, mir_is_phi(instr) ? 0 : extra_demand(spiller, instr));
        for (unsigned i = 0; i < instr->num_defs; i++)
            remove_alive(spiller, live, instr->defs[i].temp);
        for (unsigned i = 0; !mir_is_phi(instr) && i < instr->num_operands; i++) {
            if (instr->operands[i].kind == MIR_TEMP)
                add_alive(spiller, live, instr->operands[i].temp);
        }
        any |= reduce_pressure(spiller, live, instr, mir_is_phi(instr) ? 0 : extra_demand(spiller, instr));
    }
    for (uint32_t i = 0; i < live->count; i++)
        spiller->alive[live->list[i]] = live->heap_at[live->list[i]] = 0;
    return any;
}

static unsigned max_demand(const struct mir_program *program, bool vector)
{
    unsigned demand = 0;
    mir_foreach_block(program, block) demand = MAX2(demand, vector ? block->max_vgprs : block->max_sgprs);
    return demand;
}

static struct live_list new_list(struct mir_program *program)
{
    size_t count = program->num_temps;
    return (struct live_list){.list = amd_mir_alloc(program, count * sizeof(mir_temp)),
                              .heap = amd_mir_alloc(program, count * sizeof(mir_temp)),
                              .held = amd_mir_alloc(program, count * sizeof(mir_temp)),
                              .place = amd_mir_alloc(program, count * sizeof(uint32_t)),
                              .heap_at = amd_mir_alloc(program, count * sizeof(uint32_t))};
}

static void spill_file(struct spiller *spiller, bool vector)
{
    struct mir_program *program = spiller->program;
    spiller->vector = vector;
    for (unsigned round = 0;; round++) {
        amd_mir_liveness(program);
        unsigned demand = max_demand(program, vector);
        bool calls = vector && program->has_calls && round == 0;
        if (demand <= limit_of(spiller) && !calls)
            return;
        amd_spill_reserve(spiller);
        find_costs(spiller);
        spiller->call_cost = calls ? amd_spill_call_costs(program) : NULL;
        struct live_list live = new_list(program);
        bool any = false;
        mir_foreach_block(program, block)
        {
            if ((vector ? block->max_vgprs : block->max_sgprs) > limit_of(spiller) ||
                (calls && amd_spill_has_call(block)))
                any |= choose_in_block(spiller, block, &live);
        }
        if (!any && demand <= limit_of(spiller))
            return;
        if (!any || round == MAX_ROUNDS)
            amd_mir_fail(program, "%u %s are needed at once and %u are there", demand, vector ? "VGPRs" : "SGPRs",
                         limit_of(spiller));
        amd_spill_rewrite(spiller);
    }
}

void amd_mir_spill(struct mir_program *program)
{
    /* Two scalars are left for exchanging others, whatever comes. */
    struct spiller spiller = {
        .program = program, .max_sgprs = program->max_sgprs - 2u, .max_vgprs = program->max_vgprs};
    amd_mir_liveness(program);
    program->presched_sgprs = MAX2(program->presched_sgprs, max_demand(program, false));
    program->presched_vgprs = MAX2(program->presched_vgprs, max_demand(program, true));
    /* Vectors in private memory keep its descriptor and offset alive, and far ones an address. */
    unsigned lanes = program->call_vgprs ? program->call_vgprs
                                         : (unsigned)div_round_up(max_demand(program, false), program->wave_size);
    if (max_demand(program, true) + lanes > program->max_vgprs || program->has_calls)
        spiller.max_sgprs -= 7;
    spill_file(&spiller, false);
    program->linear_vgprs = (uint16_t)div_round_up(program->num_sgpr_slots, program->wave_size);
    if (program->call_vgprs && program->linear_vgprs >= program->call_vgprs)
        amd_mir_fail(program, "%u SGPRs are spilled, more than a function has room for", program->num_sgpr_slots);
    spiller.max_vgprs = program->max_vgprs - (program->call_vgprs ? program->call_vgprs : program->linear_vgprs);
    program->num_vgpr_slots =
        (uint32_t)div_round_up(program->scratch_size_B, 4); /* after what the shader itself keeps there */
    spill_file(&spiller, true);
    program->scratch_size_B = program->num_vgpr_slots * 4;
    if (program->call_vgprs)
        amd_spill_finish_frame(program);
}
