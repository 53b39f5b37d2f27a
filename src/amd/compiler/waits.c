/* Waits and hazards, on lowered instructions: which results are on their way, by data flow over the linear graph, and
 * what each instruction must wait for before it reads or overwrites a register. docs/strict.md has the rules; the
 * model's strict mode judges.
 *
 * For every register and every order in which instructions finish, the state knows how many later instructions of that
 * order have been issued: its age. An instruction with age a has finished when its counter is down to a. Where paths
 * join, the younger age counts. */
#include <string.h>

#include "amd/compiler/mir.h"
#include "util/bits.h"

enum order {
    ORDER_LOAD,  /* vmcnt */
    ORDER_LDS,   /* lgkmcnt, in order among themselves */
    ORDER_LGKM,  /* lgkmcnt, in no order: scalar loads, GDS, messages, the LDS side of FLAT */
    ORDER_COLOR, /* expcnt: exports of each kind are in order */
    ORDER_POSITION,
    ORDER_PRIMITIVE,
    ORDER_PARAMETER,
    ORDER_COUNT,
};

enum unit {
    UNIT_PLAIN,
    UNIT_SAMPLER,
    UNIT_RAY
};

#define REGS 512
#define NO_AGE 255 /* nothing on its way */
#define MAX_AGE 62 /* the largest that a wait can name: older ones are waited for like that one */

struct state {
    uint8_t age[ORDER_COUNT][REGS];
    uint8_t unit[REGS];          /* enum unit of the load */
    uint8_t newest[ORDER_COUNT]; /* age of the youngest instruction of the order, whatever it writes */
    bool stores;                 /* vscnt is perhaps not zero */
    uint16_t end;                /* registers that the program has */
};

struct wait {
    uint8_t vm, lgkm, exp, vs; /* NO_AGE: none */
};

/* A state at rest: what is on its way is a handful of registers. */
struct on_its_way {
    uint16_t reg;
    uint8_t order, age, unit;
};

struct resting {
    struct on_its_way *list;
    uint32_t count, capacity;
    uint8_t newest[ORDER_COUNT];
    bool stores, is_there;
};

/* States that are being worked on; the rest of the blocks have theirs at rest, so that memory does not grow by whole
 * states. */
struct pool_state {
    struct state state; /* first */
    struct pool_state *next;
};

struct waiter {
    struct mir_program *program;
    struct pool_state **in; /* by block: at its start, NULL where it rests */
    struct resting *resting;
    struct pool_state *pool;
    bool *seen;
    bool insert; /* the last round */
};

static void clear_state(struct state *state)
{
    memset(state, 0, sizeof(*state));
    memset(state->age, NO_AGE, sizeof(state->age));
    memset(state->newest, NO_AGE, sizeof(state->newest));
}

static void wake_resting(struct state *state, const struct resting *resting, unsigned end)
{
    clear_state(state);
    state->end = (uint16_t)end;
    if (!resting->is_there)
        return;
    memcpy(state->newest, resting->newest, sizeof(state->newest));
    state->stores = resting->stores;
    for (uint32_t i = 0; i < resting->count; i++) {
        const struct on_its_way *one = &resting->list[i];
        state->age[one->order][one->reg] = one->age;
        if (one->order == ORDER_LOAD)
            state->unit[one->reg] = one->unit;
    }
}

static uint32_t find_on_its_way(const struct state *state, struct on_its_way *list)
{
    uint32_t count = 0;
    for (unsigned order = 0; order < ORDER_COUNT; order++) {
        const uint8_t *age = state->age[order];
        for (unsigned first = 0; first < state->end; first += 16) {
            uint64_t ages[2];
            memcpy(ages, &age[first], sizeof(ages));
            if ((ages[0] & ages[1]) == UINT64_MAX) /* all NO_AGE */
                continue;
            for (unsigned reg = first; reg < first + 16; reg++) {
                if (age[reg] != NO_AGE)
                    list[count++] = (struct on_its_way){(uint16_t)reg, (uint8_t)order, age[reg],
                                                        order == ORDER_LOAD ? state->unit[reg] : 0};
            }
        }
    }
    return count;
}

/* The state at a block's start, to be worked on. */
static struct state *state_in(struct waiter *waiter, uint32_t block)
{
    struct mir_program *program = waiter->program;
    if (!waiter->in[block]) {
        struct pool_state *taken = waiter->pool;
        if (taken)
            waiter->pool = taken->next;
        else
            taken = amd_mir_alloc(program, sizeof(*taken));
        wake_resting(&taken->state, &waiter->resting[block], MIN2(MIR_REG_V0 + program->num_vgprs, REGS));
        waiter->in[block] = taken;
    }
    return &waiter->in[block]->state;
}

static void put_to_rest(struct waiter *waiter, uint32_t block)
{
    struct pool_state *state = waiter->in[block];
    struct resting *resting = &waiter->resting[block];
    struct on_its_way found[ORDER_COUNT * REGS];
    uint32_t count = find_on_its_way(&state->state, found);
    if (count > resting->capacity) {
        resting->list = amd_mir_alloc(waiter->program, count * sizeof(*resting->list));
        resting->capacity = count;
    }
    if (count)
        memcpy(resting->list, found, count * sizeof(*found));
    resting->count = count;
    memcpy(resting->newest, state->state.newest, sizeof(resting->newest));
    resting->stores = state->state.stores;
    resting->is_there = true;
    state->next = waiter->pool;
    waiter->pool = state;
    waiter->in[block] = NULL;
}

/* True when `to` became worse. */
static bool merge_states(struct state *to, const struct state *from)
{
    bool changed = from->stores && !to->stores;
    to->stores |= from->stores;
    for (unsigned order = 0; order < ORDER_COUNT; order++) {
        for (unsigned reg = 0; reg < from->end; reg++) {
            uint8_t age = from->age[order][reg];
            if (order == ORDER_LOAD && age != NO_AGE && to->age[order][reg] != NO_AGE &&
                from->unit[reg] != to->unit[reg]) {
                changed |= to->unit[reg] != UINT8_MAX;
                to->unit[reg] = UINT8_MAX; /* neither: no later load may overtake it */
            } else if (order == ORDER_LOAD && age != NO_AGE && to->age[order][reg] == NO_AGE) {
                to->unit[reg] = from->unit[reg];
            }
            changed |= age < to->age[order][reg];
            to->age[order][reg] = MIN2(to->age[order][reg], age);
        }
        changed |= from->newest[order] < to->newest[order];
        to->newest[order] = MIN2(to->newest[order], from->newest[order]);
    }
    return changed;
}

/* ---- what an instruction is ---- */

static unsigned unit_of(const struct isa_op_info *info)
{
    uint64_t properties = info->properties;
    return properties & (ISA_PROP_BVH | ISA_PROP_BVH64)                        ? UNIT_RAY
           : properties & (ISA_PROP_SAMPLE | ISA_PROP_GATHER4 | ISA_PROP_MSAA) ? UNIT_SAMPLER
                                                                               : UNIT_PLAIN;
}

static unsigned export_order(unsigned target)
{
    return target <= 9                    ? ORDER_COLOR
           : target >= 12 && target <= 16 ? ORDER_POSITION
           : target == 20                 ? ORDER_PRIMITIVE
                                          : ORDER_PARAMETER;
}

static bool is_flat(const struct isa_op_info *info)
{
    return info->properties & ISA_PROP_FLAT;
}

static bool is_vmem(const struct isa_op_info *info)
{
    return info->latency == ISA_LATENCY_VMEM;
}

static unsigned counters_of(const struct mir_instr *instr)
{
    struct isa_inst inst = {.op = instr->op, .variant = instr->variant};
    const struct isa_op_info *info = isa_info(instr->op);
    if (info->format == ISA_FORMAT_EXP)
        inst.exp = instr->exp;
    else
        inst.mem = instr->mem;
    return amd_isa_counters(&inst);
}

/* ---- what must be waited for ---- */

static void need_age(uint8_t *field, unsigned age)
{
    if (age != NO_AGE)
        *field = MIN2(*field, (uint8_t)age);
}

static void need_lgkm(const struct state *state, struct wait *wait, unsigned reg)
{
    need_age(&wait->lgkm, state->age[ORDER_LDS][reg]);
    if (state->age[ORDER_LGKM][reg] != NO_AGE)
        wait->lgkm = 0;
}

static void need_for_read(const struct state *state, struct wait *wait, mir_reg reg, unsigned dwords)
{
    for (unsigned i = 0; i < dwords && reg + i < REGS; i++) {
        need_age(&wait->vm, state->age[ORDER_LOAD][reg + i]);
        need_lgkm(state, wait, reg + i);
    }
}

static void need_for_write(const struct state *state, struct wait *wait, const struct mir_instr *instr, mir_reg reg,
                           unsigned dwords)
{
    const struct isa_op_info *info = isa_info(instr->op);
    bool load = is_vmem(info) && !is_flat(info), lds = info->format == ISA_FORMAT_DS && !instr->mem.gds;
    for (unsigned i = 0; i < dwords && reg + i < REGS; i++) {
        unsigned at = reg + i;
        if (!load || state->unit[at] != unit_of(info))
            need_age(&wait->vm, state->age[ORDER_LOAD][at]);
        if (!lds)
            need_age(&wait->lgkm, state->age[ORDER_LDS][at]);
        if (state->age[ORDER_LGKM][at] != NO_AGE)
            wait->lgkm = 0;
        for (unsigned order = ORDER_COLOR; order < ORDER_COUNT; order++)
            need_age(&wait->exp, state->age[order][at]);
    }
}

static void need_all(const struct state *state, struct wait *wait, unsigned sync)
{
    if (sync & (MIR_SYNC_BUFFER | MIR_SYNC_IMAGE | MIR_SYNC_SCRATCH)) {
        if (state->newest[ORDER_LOAD] != NO_AGE)
            wait->vm = 0;
        if (state->stores)
            wait->vs = 0;
    }
    if (sync & (MIR_SYNC_SHARED | MIR_SYNC_MESSAGE)) {
        if (state->newest[ORDER_LDS] != NO_AGE || state->newest[ORDER_LGKM] != NO_AGE)
            wait->lgkm = 0;
    }
    if (sync & MIR_SYNC_EXPORT) {
        for (unsigned order = ORDER_COLOR; order < ORDER_COUNT; order++) {
            if (state->newest[order] != NO_AGE)
                wait->exp = 0;
        }
    }
}

static void need_implicit(const struct waiter *waiter, const struct state *state, struct wait *wait,
                          const struct mir_instr *instr)
{
    const struct isa_op_info *info = isa_info(instr->op);
    unsigned mask_dwords = waiter->program->lane_mask.dwords;
    if (info->reads & ISA_STATE_VCC)
        need_for_read(state, wait, MIR_REG_VCC, mask_dwords);
    if (info->reads & ISA_STATE_M0)
        need_for_read(state, wait, MIR_REG_M0, 1);
    if (info->writes & ISA_STATE_VCC)
        need_for_write(state, wait, instr, MIR_REG_VCC, mask_dwords);
    if (info->writes & ISA_STATE_EXEC)
        need_for_write(state, wait, instr, MIR_REG_EXEC, mask_dwords);
}

static struct wait find_wait(const struct waiter *waiter, const struct state *state, const struct mir_instr *instr)
{
    struct wait wait = {NO_AGE, NO_AGE, NO_AGE, NO_AGE};
    if (instr->op == MIR_P_BARRIER) {
        /* Only what comes before is ordered by waiting: acquiring needs nothing from this wave's past but its loads,
         * which are ordered by their use. */
        if (instr->imm & MIR_SYNC_RELEASE)
            need_all(state, &wait, instr->imm);
        return wait;
    }
    if (mir_is_pseudo(instr))
        return wait;
    /* The other function knows of nothing that is under way but stores, for which no register waits. */
    if (instr->op == ISA_OP_S_SWAPPC_B64 || (instr->op == ISA_OP_S_SETPC_B64 && waiter->program->is_function)) {
        need_all(state, &wait,
                 MIR_SYNC_BUFFER | MIR_SYNC_IMAGE | MIR_SYNC_SCRATCH | MIR_SYNC_SHARED | MIR_SYNC_MESSAGE | MIR_SYNC_EXPORT);
        wait.vs = NO_AGE;
    }
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MIR_REG)
            need_for_read(state, &wait, instr->operands[i].reg, instr->operands[i].dwords);
    }
    for (unsigned i = 0; i < instr->num_defs; i++)
        need_for_write(state, &wait, instr, instr->defs[i].reg, MAX2(instr->defs[i].dwords, 1));
    need_implicit(waiter, state, &wait, instr);
    return wait;
}

/* ---- what happens ---- */

static void apply_counter(struct state *state, unsigned order, unsigned count)
{
    if (state->newest[order] != NO_AGE && state->newest[order] >= count)
        state->newest[order] = NO_AGE;
    for (unsigned reg = 0; reg < state->end; reg++) {
        if (state->age[order][reg] >= count)
            state->age[order][reg] = NO_AGE;
    }
}

static void apply_wait(struct state *state, struct wait wait)
{
    if (wait.vm != NO_AGE)
        apply_counter(state, ORDER_LOAD, wait.vm);
    if (wait.lgkm != NO_AGE)
        apply_counter(state, ORDER_LDS, wait.lgkm);
    if (wait.lgkm == 0)
        apply_counter(state, ORDER_LGKM, 0);
    for (unsigned order = ORDER_COLOR; wait.exp != NO_AGE && order < ORDER_COUNT; order++)
        apply_counter(state, order, wait.exp);
    if (wait.vs == 0)
        state->stores = false;
}

static void issue_order(struct state *state, unsigned order)
{
    for (unsigned reg = 0; reg < state->end; reg++) {
        uint8_t age = state->age[order][reg];
        if (age != NO_AGE)
            state->age[order][reg] = age >= MAX_AGE ? MAX_AGE : age + 1;
    }
    state->newest[order] = 0;
}

static void mark_regs(struct state *state, unsigned order, mir_reg reg, unsigned dwords, unsigned unit)
{
    for (unsigned i = 0; i < dwords && reg + i < REGS; i++) {
        state->age[order][reg + i] = 0;
        if (order == ORDER_LOAD)
            state->unit[reg + i] = (uint8_t)unit;
    }
}

static void mark_defs(struct state *state, unsigned order, const struct mir_instr *instr, unsigned unit)
{
    issue_order(state, order);
    for (unsigned i = 0; i < instr->num_defs; i++) {
        if (instr->defs[i].reg != MIR_REG_NULL)
            mark_regs(state, order, instr->defs[i].reg, instr->defs[i].dwords, unit);
    }
}

static void mark_locked(struct state *state, unsigned order, const struct mir_instr *instr)
{
    issue_order(state, order);
    for (unsigned i = 0; i < instr->num_operands; i++) {
        if (instr->operands[i].kind == MIR_REG && instr->operands[i].reg >= MIR_REG_V0)
            mark_regs(state, order, instr->operands[i].reg, instr->operands[i].dwords, 0);
    }
    mark_regs(state, order, MIR_REG_EXEC, 2, 0);
}

static void execute_instr(struct state *state, const struct mir_instr *instr)
{
    if (mir_is_pseudo(instr))
        return;
    const struct isa_op_info *info = isa_info(instr->op);
    unsigned counters = counters_of(instr);
    if (info->format == ISA_FORMAT_EXP)
        mark_locked(state, export_order(instr->exp.target), instr);
    else if (counters & ISA_COUNTER_EXP)
        mark_locked(state, ORDER_PARAMETER, instr);
    if (info->properties & ISA_PROP_CACHE_INV && is_vmem(info)) {
        state->stores = true; /* counted by some compilers as a store: nothing may rely on it */
        return;
    }
    if (counters & ISA_COUNTER_VM)
        mark_defs(state, ORDER_LOAD, instr, unit_of(info));
    if (counters & ISA_COUNTER_VS || instr->op == ISA_OP_S_SWAPPC_B64)
        state->stores = true;
    if (counters & ISA_COUNTER_LGKM)
        mark_defs(state, info->format == ISA_FORMAT_DS && !instr->mem.gds ? ORDER_LDS : ORDER_LGKM, instr, 0);
}

/* ---- putting waits into the code ---- */

static void insert_wait(struct mir_program *program, struct mir_block *block, struct list *place, struct wait wait)
{
    struct mir_builder builder = {program, block, place};
    struct isa_waitcnt counts = amd_isa_waitcnt_max(program->gfx);
    bool any = false;
    if (wait.vm != NO_AGE && wait.vm < counts.vmcnt) {
        counts.vmcnt = wait.vm;
        any = true;
    }
    if (wait.lgkm != NO_AGE && wait.lgkm < counts.lgkmcnt) {
        counts.lgkmcnt = wait.lgkm;
        any = true;
    }
    if (wait.exp != NO_AGE && wait.exp < counts.expcnt) {
        counts.expcnt = wait.exp;
        any = true;
    }
    if (any)
        amd_mir_new_instr(&builder, ISA_OP_S_WAITCNT, 0, 0)->imm = amd_isa_waitcnt_pack(program->gfx, counts);
    if (wait.vs != NO_AGE) {
        struct mir_instr *instr = amd_mir_new_instr(&builder, ISA_OP_S_WAITCNT_VSCNT, 0, 1);
        instr->operands[0] = mir_reg_use(MIR_REG_NULL, 1);
        instr->imm = wait.vs;
    }
}

static void run_block(struct waiter *waiter, struct mir_block *block, struct state *state)
{
    mir_foreach_instr(block, instr)
    {
        struct wait wait = find_wait(waiter, state, instr);
        if (waiter->insert && (wait.vm != NO_AGE || wait.lgkm != NO_AGE || wait.exp != NO_AGE || wait.vs != NO_AGE))
            insert_wait(waiter->program, block, &instr->link, wait);
        apply_wait(state, wait);
        execute_instr(state, instr);
    }
}

static void solve_waits(struct waiter *waiter)
{
    struct mir_program *program = waiter->program;
    bool *queued = amd_mir_alloc(program, program->num_blocks * sizeof(*queued));
    queued[0] = waiter->seen[0] = true;
    state_in(waiter, 0)->stores = program->is_function; /* perhaps the caller's */
    for (bool again = true; again;) {
        again = false;
        mir_foreach_block(program, block)
        {
            if (!queued[block->index])
                continue;
            queued[block->index] = false;
            struct state state = *state_in(waiter, block->index);
            put_to_rest(waiter, block->index);
            run_block(waiter, block, &state);
            for (unsigned i = 0; i < block->num_linear_succs; i++) {
                uint32_t next = block->linear_succs[i];
                bool changed = merge_states(state_in(waiter, next), &state) || !waiter->seen[next];
                waiter->seen[next] = true;
                queued[next] |= changed;
                if (!queued[next])
                    put_to_rest(waiter, next);
                again |= changed && next <= block->index;
            }
        }
    }
}

/* ---- hazards ---- */

static unsigned hazards_of(const struct mir_program *program, const struct mir_instr *instr)
{
    if (mir_is_pseudo(instr))
        return 0;
    const struct isa_op_info *info = isa_info(instr->op);
    unsigned hazards = info->hazards;
    if (hazards & ISA_HAZARD_LONG_NSA) {
        /* two dwords, and one for each four addresses after the first */
        bool is_long = instr->mem.nsa && instr->mem.addr_count > 5;
        hazards &= is_long ? ~0u : ~(unsigned)ISA_HAZARD_LONG_NSA;
    }
    if (hazards & ISA_HAZARD_EXEC_WRITE) {
        bool writes = info->writes & ISA_STATE_EXEC;
        for (unsigned i = 0; i < instr->num_defs; i++)
            writes |= instr->defs[i].reg == MIR_REG_EXEC || instr->defs[i].reg == MIR_REG_EXEC + 1;
        hazards &= writes ? ~0u : ~(unsigned)ISA_HAZARD_EXEC_WRITE;
    }
    (void)program;
    return hazards;
}

static void insert_nop(struct mir_program *program, struct mir_block *block, struct list *place, unsigned states)
{
    struct mir_builder builder = {program, block, place};
    amd_mir_new_instr(&builder, ISA_OP_S_NOP, 0, 0)->imm = states - 1;
}

/* Both hazards are between neighbours; at a block's start the worst is assumed. */
static void insert_nops(struct mir_program *program, struct mir_block *block)
{
    unsigned since_atomic = block->num_linear_preds ? 0 : 3;
    bool exec_written = block->num_linear_preds > 0;
    mir_foreach_instr(block, instr)
    {
        if (mir_is_pseudo(instr))
            continue;
        unsigned hazards = hazards_of(program, instr);
        if ((hazards & ISA_HAZARD_LONG_NSA) && exec_written)
            insert_nop(program, block, &instr->link, 1);
        if ((hazards & ISA_HAZARD_DENORM_MODE) && since_atomic < 3) {
            insert_nop(program, block, &instr->link, 3 - since_atomic);
            since_atomic = 3;
        }
        exec_written = hazards & ISA_HAZARD_EXEC_WRITE;
        since_atomic = hazards & ISA_HAZARD_FP_ATOMIC       ? 0
                       : hazards & ISA_HAZARD_FP_ATOMIC_END ? 3
                                                            : MIN2(since_atomic + 1, 3u);
    }
}

/* ---- clauses ---- */

#define MAX_CLAUSE 64

/* Which instructions may stand in one clause: loads of one kind. 0: none. */
static unsigned clause_kind(const struct mir_instr *instr)
{
    if (mir_is_pseudo(instr))
        return 0;
    const struct isa_op_info *info = isa_info(instr->op);
    if (info->memory != ISA_MEMORY_LOAD)
        return 0;
    if (info->format == ISA_FORMAT_SMEM)
        return 1;
    if (info->format == ISA_FORMAT_MUBUF || info->format == ISA_FORMAT_MTBUF)
        return 2;
    if (info->format == ISA_FORMAT_FLAT)
        return is_flat(info) ? 0 : 3;
    return info->format == ISA_FORMAT_MIMG ? 4 + unit_of(info) : 0;
}

static void insert_clauses(struct mir_program *program, struct mir_block *block)
{
    struct list *link = block->instrs.next;
    while (link != &block->instrs) {
        struct mir_instr *first = container_of(link, struct mir_instr, link);
        unsigned kind = clause_kind(first), count = 0;
        while (kind && link != &block->instrs && count < MAX_CLAUSE &&
               clause_kind(container_of(link, struct mir_instr, link)) == kind) {
            link = link->next;
            count++;
        }
        if (count == 0)
            link = link->next;
        if (count > 1) {
            struct mir_builder builder = {program, block, &first->link};
            amd_mir_new_instr(&builder, ISA_OP_S_CLAUSE, 0, 0)->imm = count - 1;
        }
    }
}

void amd_mir_insert_waits(struct mir_program *program)
{
    struct waiter waiter = {.program = program};
    waiter.in = amd_mir_alloc(program, program->num_blocks * sizeof(*waiter.in));
    waiter.resting = amd_mir_alloc(program, program->num_blocks * sizeof(*waiter.resting));
    waiter.seen = amd_mir_alloc(program, program->num_blocks * sizeof(*waiter.seen));
    solve_waits(&waiter);
    waiter.insert = true;
    mir_foreach_block(program, block)
    {
        struct state state;
        wake_resting(&state, &waiter.resting[block->index], MIN2(MIR_REG_V0 + program->num_vgprs, REGS));
        run_block(&waiter, block, &state);
    }
    mir_foreach_block(program, block)
    {
        insert_nops(program, block);
        insert_clauses(program, block);
    }
}
