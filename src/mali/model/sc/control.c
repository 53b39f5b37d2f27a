/* Control flow: branches, reconvergence, discarding, barriers, the end.
 *
 * The lanes that run are always those at the lowest address. A branch that divides them parks the ones that go further;
 * at an instruction with .reconverge those that are parked at the next one join. A jump over a place where lanes are
 * parked parks those that jump. So everyone who can come to a place has come before it is left. The four warps of a row
 * are lanes like others here: what one warp does never changes which of its lanes run together in another. */
#include "mali/model/sc/alu.h"
#include "mali/model/sc/code.h"
#include "mali/model/sc/jit.h"
#include "mali/model/sc/uops.h"

/* ---- parked lanes ---- */

void mali_sc_park(struct mali_warp *warp, uint64_t pc, uint64_t lanes)
{
    uint32_t at = warp->parked_count;
    while (at > 0 && warp->parked[at - 1].pc < pc)
        at--;
    if (at > 0 && warp->parked[at - 1].pc == pc) {
        warp->parked[at - 1].lanes |= lanes;
        return;
    }
    memmove(&warp->parked[at + 1], &warp->parked[at], (warp->parked_count - at) * sizeof(warp->parked[0]));
    warp->parked[at] = (struct mali_parked){pc, lanes};
    warp->parked_count++;
}

/* `lanes` go on at `pc`, unless others are behind. Returns where the warp goes on. */
static uint64_t choose_pc(struct mali_warp *warp, uint64_t pc, uint64_t lanes)
{
    while (warp->parked_count) {
        const struct mali_parked lowest = warp->parked[warp->parked_count - 1];
        if (lanes && pc < lowest.pc)
            break;
        warp->parked_count--;
        if (!lanes || pc == lowest.pc) {
            pc = lowest.pc;
            lanes |= lowest.lanes;
            continue;
        }
        mali_sc_park(warp, pc, lanes);
        pc = lowest.pc;
        lanes = lowest.lanes;
    }
    mali_warp_run_lanes(warp, lanes);
    return pc;
}

/* A branch backwards: others get their turn some time, and a job that was killed ends. */
static void spend_turn(struct mali_warp *warp, const struct sc_uop *uop)
{
    if (atomic_load_explicit(warp->stop_flag, memory_order_relaxed)) {
        mali_sc_fault(warp, uop, MALI_FAULT_KILLED, "the job was killed");
        return;
    }
    if (--warp->turn == 0)
        warp->state = MALI_WARP_YIELDED;
}

void mali_sc_go(struct mali_warp *warp, const struct sc_uop *uop, uint64_t pc)
{
    if (pc <= uop->pc)
        spend_turn(warp, uop);
    if (pc == uop->target_pc) {
        if (__builtin_expect(!uop->target, 0))
            ((struct sc_uop *)uop)->target = mali_sc_code_enter(warp, pc); /* this worker's own */
        warp->next = uop->target;
        if (pc <= uop->pc && uop->countdown && --((struct sc_uop *)uop)->countdown == 0 && uop->target)
            mali_sc_loop_found(warp, uop);
    } else if (pc == uop->pc + 8) {
        if (__builtin_expect(!uop->after, 0))
            ((struct sc_uop *)uop)->after = mali_sc_code_enter(warp, pc);
        warp->next = uop->after;
    } else {
        warp->next = mali_sc_code_enter(warp, pc);
    }
}

/* All that run go on at the target. */
static void run_goto(struct mali_warp *warp, const struct sc_uop *uop)
{
    uint64_t pc = uop->target_pc;
    if (__builtin_expect(warp->parked_count != 0, 0))
        pc = choose_pc(warp, pc, warp->active);
    mali_sc_go(warp, uop, pc);
}

void mali_sc_build_goto(struct sc_builder *builder, uint64_t pc)
{
    struct sc_uop *uop = mali_sc_build(builder, run_goto);
    uop->target_pc = pc;
    uop->countdown = exec_loop_countdown(builder->exec.code);
    builder->exec.ends_block = true;
}

/* Lanes of `taken` go to the target, the others on. */
static void divide_lanes(struct mali_warp *warp, const struct sc_uop *uop, uint64_t taken)
{
    const uint64_t stays = warp->active & ~taken, next = uop->pc + 8, target = uop->target_pc;
    if (!taken) {
        mali_sc_go(warp, uop,
                   __builtin_expect(warp->parked_count != 0, 0) ? choose_pc(warp, next, warp->active) : next);
        return;
    }
    if (!stays) {
        run_goto(warp, uop);
        return;
    }
    const bool is_target_first = target < next;
    mali_sc_park(warp, is_target_first ? next : target, is_target_first ? stays : taken);
    mali_sc_go(warp, uop, choose_pc(warp, is_target_first ? target : next, is_target_first ? taken : stays));
}

/* No lane that ran runs on. */
void mali_sc_end_lanes(struct mali_warp *warp)
{
    if (!warp->parked_count) {
        warp->state = MALI_WARP_ENDED;
        return;
    }
    warp->next = mali_sc_code_enter(warp, choose_pc(warp, 0, 0));
}

/* ---- branches ---- */

/* The bits of its source that a branch looks at. imm: enum mali_isa_select_combine. */
static uint32_t bits_of(const struct sc_uop *uop)
{
    return uop->imm == MALI_ISA_COMBINE_H0 ? 0xffffu : uop->imm == MALI_ISA_COMBINE_H1 ? 0xffff0000u : UINT32_MAX;
}

/* Active lanes whose source is zero. */
static uint64_t zero_lanes(const struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->s[0]), bits = bits_of(uop);
    uint32_t lanes[MALI_ROW_LANES];
    for (unsigned i = 0; i < MALI_ROW_LANES; i++)
        lanes[i] = (s[i] & bits) == 0 ? UINT32_MAX : 0;
    return lanes_to_mask(lanes, MALI_ROW_LANES) & warp->active;
}

/* imm2: branch where the source is zero. */
static uint64_t taken_lanes(const struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint64_t zeros = zero_lanes(warp, uop);
    return uop->imm2 ? zeros : warp->active & ~zeros;
}

static void run_branch(struct mali_warp *warp, const struct sc_uop *uop)
{
    divide_lanes(warp, uop, taken_lanes(warp, uop));
}

enum sc_flow mali_sc_flow(const struct sc_uop *uop)
{
    return uop->run == run_goto ? SC_FLOW_ALWAYS : uop->run == run_branch ? SC_FLOW_LANES : SC_FLOW_NONE;
}

/* With .end: lanes that do not branch end. */
static void run_branch_or_end(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint64_t taken = taken_lanes(warp, uop);
    if (!taken) {
        mali_sc_end_lanes(warp);
        return;
    }
    mali_warp_run_lanes(warp, taken);
    run_goto(warp, uop);
}

/* Addresses of code are those of the program in their upper half. */
uint64_t mali_sc_address(const struct mali_warp *warp, uint32_t word)
{
    return (uint64_t)warp->launch->code_high << 32 | (word & ~7u);
}

static void run_branch_indirect(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->s[1]);
    const uint64_t taken = taken_lanes(warp, uop);
    const uint64_t stays = uop->inst->flow == MALI_ISA_FLOW_END ? 0 : warp->active & ~taken;
    sc_foreach_lane(taken, i) mali_sc_park(warp, mali_sc_address(warp, s[i]), 1ull << i);
    if (warp->parked_count && warp->parked[warp->parked_count - 1].pc <= uop->pc)
        spend_turn(warp, uop);
    if (!stays)
        mali_sc_end_lanes(warp); /* of this place: those that branch are parked */
    else
        warp->next = mali_sc_code_enter(warp, choose_pc(warp, uop->pc + 8, stays));
}

bool mali_sc_is_indirect(const struct sc_uop *uop)
{
    return uop->run == run_branch_indirect;
}

bool mali_sc_takes(const struct sc_uop *uop, uint32_t word)
{
    return ((word & bits_of(uop)) == 0) == (uop->imm2 != 0);
}

/* ---- discarding ---- */

/* Discarded fragments go on as helpers of their quads, until .discard. */
static void run_discard(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint32_t *s = sc_at(warp, uop->d);
    uint64_t lanes = 0;
    sc_foreach_lane(warp->active, i) lanes |= (uint64_t)(s[i] != 0) << i;
    warp->discarded |= lanes;
    warp->covered &= ~lanes;
}

/* .discard: lanes that are helpers, or were discarded, end. */
static void run_end_discarded(struct mali_warp *warp, const struct sc_uop *uop)
{
    const uint64_t lanes = warp->active & warp->covered;
    (void)uop;
    if (lanes == warp->active)
        return;
    if (lanes)
        mali_warp_run_lanes(warp, lanes);
    else
        mali_sc_end_lanes(warp);
}

static void run_end(struct mali_warp *warp, const struct sc_uop *uop)
{
    (void)uop;
    mali_sc_end_lanes(warp);
}

bool mali_sc_is_end(const struct sc_uop *uop)
{
    return uop->run == run_end;
}

/* ---- barriers ---- */

static void run_barrier(struct mali_warp *warp, const struct sc_uop *uop)
{
    if (warp->launch->stage != MALI_STAGE_COMPUTE)
        return;
    if (warp->parked_count) {
        mali_sc_fault(warp, uop, MALI_FAULT_INSTRUCTION, "a barrier that only some lanes come to");
        return;
    }
    warp->state = MALI_WARP_BARRIER;
}

/* ---- translation ---- */

static bool translate_branch(struct sc_builder *builder)
{
    const struct mali_isa_inst *inst = builder->inst;
    const bool is_indirect = inst->op == MALI_ISA_OP_BRANCHZI;
    /* The effect of these is not known, and no known compiler writes them. */
    if (inst->sources[0].select > MALI_ISA_COMBINE_H1 || inst->field[MALI_ISA_FIELD_CONSERVATIVE] ||
        (is_indirect && !inst->field[MALI_ISA_FIELD_ABSOLUTE]))
        return false;
    const bool is_always = inst->sources[0].kind == MALI_ISA_SOURCE_CONSTANT && inst->sources[0].value == 0 &&
                           inst->field[MALI_ISA_FIELD_EQ];
    builder->exec.ends_block = true;
    if (is_always && !is_indirect) {
        mali_sc_build_goto(builder, builder->pc + 8 + (uint64_t)((int64_t)(int32_t)inst->number[0] * 8));
        return true;
    }
    const sc_place s0 = mali_sc_source(builder, 0), s1 = is_indirect ? mali_sc_source(builder, 1) : 0;
    const sc_run_fn run = inst->flow == MALI_ISA_FLOW_END ? run_branch_or_end : run_branch;
    struct sc_uop *uop = mali_sc_build(builder, is_indirect ? run_branch_indirect : run);
    uop->s[0] = s0;
    uop->s[1] = s1;
    uop->imm = inst->sources[0].select;
    uop->imm2 = inst->field[MALI_ISA_FIELD_EQ];
    uop->countdown = is_indirect ? 0 : exec_loop_countdown(builder->exec.code);
    if (!is_indirect)
        uop->target_pc = builder->pc + 8 + (uint64_t)((int64_t)(int32_t)inst->number[0] * 8);
    return true;
}

static bool translate_discard(struct sc_builder *builder)
{
    const struct mali_isa_inst *inst = builder->inst;
    const sc_run_fn compare = mali_sc_alu_kernels[MALI_ISA_OP_FCMP_OR_F32][inst->field[MALI_ISA_FIELD_COND]];
    const sc_place s0 = mali_sc_source(builder, 0), s1 = mali_sc_source(builder, 1);
    const sc_place zero = mali_sc_constant_place(builder, 0, 1), d = mali_sc_temp_place(builder, 1);
    struct sc_uop *uop = mali_sc_build(builder, compare);
    uop->d = d;
    uop->s[0] = s0;
    uop->s[1] = s1;
    uop->s[2] = zero;
    mali_sc_build(builder, run_discard)->d = d;
    return true;
}

bool mali_sc_translate_control(struct sc_builder *builder)
{
    switch (builder->inst->op) {
    case MALI_ISA_OP_NOP:
        return true;
    case MALI_ISA_OP_BRANCHZ:
    case MALI_ISA_OP_BRANCHZI:
        return translate_branch(builder);
    case MALI_ISA_OP_DISCARD_F32:
        return translate_discard(builder);
    case MALI_ISA_OP_BARRIER:
        mali_sc_build(builder, run_barrier);
        return true;
    default:
        return false;
    }
}

void mali_sc_translate_flow(struct sc_builder *builder)
{
    switch (builder->inst->flow) {
    case MALI_ISA_FLOW_RECONVERGE:
        mali_sc_build_goto(builder, builder->pc + 8);
        break;
    case MALI_ISA_FLOW_DISCARD:
        mali_sc_build(builder, run_end_discarded);
        break;
    case MALI_ISA_FLOW_END:
        mali_sc_build(builder, run_end);
        builder->exec.ends_block = true;
        break;
    default: /* messages have ended with their instruction */
        break;
    }
}
