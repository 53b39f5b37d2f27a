/* Category 0: branches, reconvergence, predication, the end; and barriers (category 7).
 *
 * The fibers of a wave that run are always those at the lowest address. A branch that divides them parks the ones that
 * go further; a jump over a place where fibers are parked parks those that jump. So everyone who can come to a place
 * has come before it is left. */
#include "adreno/isa/isa_tables.h"
#include "adreno/model/sp/code.h"
#include "adreno/model/sp/jit.h"
#include "adreno/model/sp/jit_build.h"

static void run_join(struct adreno_wave *wave, const struct sp_uop *uop);
static void run_br(struct adreno_wave *wave, const struct sp_uop *uop);
static void run_brao(struct adreno_wave *wave, const struct sp_uop *uop);
static void run_braa(struct adreno_wave *wave, const struct sp_uop *uop);

/* ---- parked fibers ---- */

static void park_lanes(struct adreno_wave *wave, uint32_t pc, struct lane_mask lanes)
{
    uint32_t at = wave->parked_count;
    while (at > 0 && wave->parked[at - 1].pc < pc)
        at--;
    if (at > 0 && wave->parked[at - 1].pc == pc) {
        wave->parked[at - 1].lanes = lane_mask_or(wave->parked[at - 1].lanes, lanes);
        return;
    }
    memmove(&wave->parked[at + 1], &wave->parked[at], (wave->parked_count - at) * sizeof(wave->parked[0]));
    wave->parked[at] = (struct adreno_parked){pc, lanes};
    wave->parked_count++;
}

/* `lanes` go on at `pc`, unless others are behind. Returns where the wave goes on. */
static uint32_t choose_pc(struct adreno_wave *wave, uint32_t pc, struct lane_mask lanes)
{
    while (wave->parked_count) {
        struct adreno_parked *lowest = &wave->parked[wave->parked_count - 1];
        if (pc < lowest->pc)
            break;
        if (pc == lowest->pc) {
            lanes = lane_mask_or(lanes, lowest->lanes);
            wave->parked_count--;
            continue;
        }
        struct adreno_parked next = *lowest;
        wave->parked_count--;
        if (lane_mask_any(lanes))
            park_lanes(wave, pc, lanes);
        pc = next.pc;
        lanes = next.lanes;
    }
    adreno_wave_run_lanes(wave, lanes);
    return pc;
}

/* A branch backwards: others get their turn some time, and a job that was killed ends. */
static void spend_turn(struct adreno_wave *wave, const struct sp_uop *uop)
{
    if (atomic_load_explicit(wave->stop_flag, memory_order_relaxed)) {
        adreno_sp_fault(wave, uop, ADRENO_FAULT_KILLED, "the job was killed");
        return;
    }
    if (--wave->turn == 0)
        wave->state = ADRENO_WAVE_YIELDED;
}

static void go_to_pc(struct adreno_wave *wave, const struct sp_uop *uop, uint32_t pc)
{
    if (pc <= uop->pc)
        spend_turn(wave, uop);
    if (pc == uop->target_pc) {
        if (__builtin_expect(!uop->target, 0))
            ((struct sp_uop *)uop)->target = adreno_sp_code_enter(wave, pc); /* this worker's own */
        wave->next = uop->target;
        if (pc <= uop->pc && uop->countdown && --((struct sp_uop *)uop)->countdown == 0 && uop->target)
            adreno_sp_loop_found(wave, uop);
    } else if (pc == uop->pc + 1) {
        if (__builtin_expect(!uop->after, 0))
            ((struct sp_uop *)uop)->after = adreno_sp_code_enter(wave, pc);
        wave->next = uop->after;
    } else {
        wave->next = adreno_sp_code_enter(wave, pc);
    }
}

/* All that run go on at the target. */
static void run_goto(struct adreno_wave *wave, const struct sp_uop *uop)
{
    uint32_t pc = uop->target_pc;
    if (__builtin_expect(wave->parked_count != 0, 0))
        pc = choose_pc(wave, pc, wave->exec);
    go_to_pc(wave, uop, pc);
}

enum sp_flow adreno_sp_flow(const struct sp_uop *uop)
{
    const bool is_by_lanes = uop->run == run_br || uop->run == run_brao || uop->run == run_braa;
    return uop->run == run_goto ? SP_FLOW_ALWAYS : is_by_lanes ? SP_FLOW_LANES : SP_FLOW_NONE;
}

bool adreno_sp_is_join(const struct sp_uop *uop)
{
    return uop->run == run_join;
}

void adreno_sp_build_goto(struct sp_builder *builder, uint32_t pc)
{
    struct sp_uop *uop = adreno_sp_build(builder, run_goto);
    uop->target_pc = pc;
    uop->countdown = exec_loop_countdown(builder->exec.code);
    builder->exec.ends_block = true;
}

static void run_join(struct adreno_wave *wave, const struct sp_uop *uop)
{
    if (__builtin_expect(!wave->parked_count, 1) || wave->parked[wave->parked_count - 1].pc > uop->pc)
        return;
    uint32_t pc = choose_pc(wave, uop->pc, wave->exec);
    if (pc != uop->pc)
        wave->next = adreno_sp_code_enter(wave, pc);
}

void adreno_sp_build_join(struct sp_builder *builder)
{
    adreno_sp_build(builder, run_join);
}

/* Lanes of `taken` go to the target, the others on. */
static void divide_lanes(struct adreno_wave *wave, const struct sp_uop *uop, struct lane_mask taken)
{
    struct lane_mask stays = lane_mask_and_not(wave->exec, taken);
    uint32_t next = uop->pc + 1, target = uop->target_pc;
    if (!lane_mask_any(taken)) {
        if (__builtin_expect(wave->parked_count != 0, 0))
            next = choose_pc(wave, next, wave->exec);
        go_to_pc(wave, uop, next);
        return;
    }
    if (!lane_mask_any(stays)) {
        run_goto(wave, uop);
        return;
    }
    bool target_first = target < next;
    park_lanes(wave, target_first ? next : target, target_first ? stays : taken);
    go_to_pc(wave, uop, choose_pc(wave, target_first ? target : next, target_first ? taken : stays));
}

/* ---- branches ---- */

static struct lane_mask predicate(struct adreno_wave *wave, unsigned component)
{
    const uint32_t *row = adreno_wave_row(wave, ADRENO_ISA_REG_P0 + component);
    uint32_t lanes[ADRENO_WAVE_LANES_MAX];
    for (unsigned i = 0; i < wave->lanes; i++)
        lanes[i] = 0u - row[i];
    return lane_mask_from_lanes(lanes, wave->lanes);
}

/* imm: component, bit 2 of it: not. */
static struct lane_mask condition(struct adreno_wave *wave, uint32_t imm)
{
    struct lane_mask mask = predicate(wave, imm & 3);
    return imm & 4 ? lane_mask_and_not(wave->active, mask) : lane_mask_and(wave->active, mask);
}

static uint32_t condition_number(const struct adreno_isa_operand *operand)
{
    return (uint32_t)operand->value | (operand->flags & ADRENO_ISA_FLAG_NOT ? 4 : 0);
}

/* Whether a row has one value in all lanes: four sums side by side, so that none waits for itself. */
static bool is_uniform(const uint32_t *row, unsigned lanes)
{
    typedef uint32_t vector __attribute__((vector_size(16), may_alias));
    const vector first = {row[0], row[0], row[0], row[0]};
    vector other[4] = {{0}, {0}, {0}, {0}};
    for (unsigned i = 0; i < lanes; i += LANE_MASK_GROUP) {
        const vector *at = (const vector *)(row + i);
        other[0] |= at[0] ^ first;
        other[1] |= at[1] ^ first;
        other[2] |= at[2] ^ first;
        other[3] |= at[3] ^ first;
    }
    uint64_t left[2];
    other[0] |= other[1] | other[2] | other[3];
    memcpy(left, &other[0], sizeof(left));
    return (left[0] | left[1]) == 0;
}

/* Mostly all fibers go the same way, and no mask has to be made. */
static void run_br(struct adreno_wave *wave, const struct sp_uop *uop)
{
    const uint32_t *row = adreno_wave_row(wave, ADRENO_ISA_REG_P0 + (uop->imm & 3));
    if (wave->is_full && !wave->parked_count && is_uniform(row, wave->lanes))
        go_to_pc(wave, uop, row[0] ^ (uop->imm >> 2 & 1) ? uop->target_pc : uop->pc + 1);
    else
        divide_lanes(wave, uop, condition(wave, uop->imm));
}

static void run_brao(struct adreno_wave *wave, const struct sp_uop *uop)
{
    divide_lanes(wave, uop, lane_mask_or(condition(wave, uop->imm & 7), condition(wave, uop->imm >> 3)));
}

static void run_braa(struct adreno_wave *wave, const struct sp_uop *uop)
{
    divide_lanes(wave, uop, lane_mask_and(condition(wave, uop->imm & 7), condition(wave, uop->imm >> 3)));
}

static void run_bany(struct adreno_wave *wave, const struct sp_uop *uop)
{
    bool any = lane_mask_any(condition(wave, uop->imm));
    divide_lanes(wave, uop, any ? wave->exec : lane_mask_none());
}

static void run_ball(struct adreno_wave *wave, const struct sp_uop *uop)
{
    bool all = lane_mask_equal(condition(wave, uop->imm), wave->active);
    divide_lanes(wave, uop, all ? wave->exec : lane_mask_none());
}

/* One fiber goes on; the others jump. */
static void run_getone(struct adreno_wave *wave, const struct sp_uop *uop)
{
    if (!lane_mask_any(wave->active)) {
        run_goto(wave, uop);
        return;
    }
    divide_lanes(wave, uop, lane_mask_without(wave->exec, lane_mask_lowest(wave->active)));
}

/* Of the first eight fibers among which one is active all jump but the last active one; the other eights go on. */
static void run_getlast(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct lane_mask taken = lane_mask_none();
    if (lane_mask_any(wave->active)) {
        unsigned first = lane_mask_lowest(wave->active) & ~7u, last = first;
        for (unsigned lane = first; lane < first + 8; lane++) {
            if (lane_mask_has(wave->active, lane)) {
                taken = lane_mask_with(taken, lane);
                last = lane;
            }
        }
        taken = lane_mask_without(taken, last);
    }
    divide_lanes(wave, uop, taken);
}

/* Each fiber has its own returns: those that call leave the others where they are. */
static void run_call(struct adreno_wave *wave, const struct sp_uop *uop)
{
    lane_mask_foreach(wave->exec, lane)
    {
        if (wave->call_depth[lane] == ADRENO_WAVE_CALLS) {
            adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "a call that is more than %u deep", ADRENO_WAVE_CALLS);
            return;
        }
        wave->calls[wave->call_depth[lane]++][lane] = uop->pc + 1;
    }
    run_goto(wave, uop);
}

static void run_ret(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct lane_mask lanes[2]; /* of one return; those that are left */
    for (lanes[1] = wave->exec; lane_mask_any(lanes[1]); lanes[1] = lane_mask_and_not(lanes[1], lanes[0])) {
        const unsigned first = lane_mask_lowest(lanes[1]), depth = wave->call_depth[first];
        if (!depth) {
            adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "a return without a call");
            return;
        }
        const uint32_t pc = wave->calls[depth - 1][first];
        lanes[0] = lane_mask_none();
        lane_mask_foreach(lanes[1], lane)
        {
            if (wave->call_depth[lane] == depth && wave->calls[depth - 1][lane] == pc) {
                lanes[0] = lane_mask_with(lanes[0], lane);
                wave->call_depth[lane]--;
            }
        }
        park_lanes(wave, pc, lanes[0]);
    }
    wave->next = adreno_sp_code_enter(wave, choose_pc(wave, UINT32_MAX, lane_mask_none()));
}

static void run_end(struct adreno_wave *wave, const struct sp_uop *uop)
{
    (void)uop;
    wave->predication = 0;
    if (!wave->parked_count) {
        wave->state = ADRENO_WAVE_ENDED;
        return;
    }
    wave->next = adreno_sp_code_enter(wave, choose_pc(wave, UINT32_MAX, lane_mask_none()));
}

/* The fibers go on in the next stage's program: the launching block's business, when all of them are here. */
static void run_chain(struct adreno_wave *wave, const struct sp_uop *uop)
{
    if (!wave->launch->has_next) {
        adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "a stage that no other one follows");
        return;
    }
    wave->has_chained = true;
    run_end(wave, uop);
}

/* Killed fragments go on as helpers of their quads; a killed fiber of a geometry shader gives no vertex. */
static void run_kill(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct lane_mask lanes = condition(wave, uop->imm);
    wave->killed = lane_mask_or(wave->killed, lanes);
    wave->covered = lane_mask_and_not(wave->covered, lanes);
}

/* Where a wave goes on of which no lane runs: instructions that only bring something to registers or memory do
 * nothing. At the end of a block at the latest. */
static const struct sp_uop *after_nothing(const struct sp_uop *uop)
{
    while (adreno_sp_flow(uop) == SP_FLOW_NONE && !adreno_sp_is_join(uop) && !adreno_sp_is_stop(uop) &&
           !adreno_sp_loop_is_head(uop) &&
           (uop->inst ? uop->inst->op >= adreno_isa_categories[1] && uop->inst->op < adreno_isa_categories[7]
                      : adreno_sp_jit_is_head(uop)))
        uop++;
    return uop;
}

static void run_predicate(struct adreno_wave *wave, const struct sp_uop *uop)
{
    if (uop->imm)
        wave->predicate_mask = predicate(wave, 0);
    wave->predication = uop->imm;
    adreno_wave_run_lanes(wave, wave->exec);
    if (uop->imm && !lane_mask_any(wave->active) && !wave->strict)
        wave->next = after_nothing(wave->next);
}

/* ---- the preamble: once for a launch on each worker ---- */

static void run_shps(struct adreno_wave *wave, const struct sp_uop *uop)
{
    if (*wave->preamble_serial == wave->launch->serial)
        run_goto(wave, uop);
    else
        go_to_pc(wave, uop, uop->pc + 1);
}

static void run_shpe(struct adreno_wave *wave, const struct sp_uop *uop)
{
    (void)uop;
    *wave->preamble_serial = wave->launch->serial;
}

static void run_barrier(struct adreno_wave *wave, const struct sp_uop *uop)
{
    /* One that predication takes out for all fibers is not come to; compilers predicate ways that only whole workgroups
     * take. */
    if (wave->launch->stage != ADRENO_STAGE_CS || !lane_mask_any(wave->active))
        return;
    if (wave->parked_count) {
        adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "a barrier that only some fibers of the wave come to");
        return;
    }
    wave->state = ADRENO_WAVE_BARRIER;
}

/* ---- translation ---- */

static bool build_branch(struct sp_builder *builder, sp_run_fn run, unsigned place, uint32_t imm)
{
    struct sp_uop *uop = adreno_sp_build(builder, run);
    uop->imm = imm;
    uop->countdown = exec_loop_countdown(builder->exec.code);
    uop->target_pc = builder->pc + (uint32_t)builder->inst->operands[place].value;
    builder->exec.ends_block = true;
    return true;
}

bool adreno_sp_translate_control(struct sp_builder *builder)
{
    const struct adreno_isa_operand *operands = builder->inst->operands;
    uint32_t first = condition_number(&operands[ADRENO_ISA_PLACE_SRC0]);
    uint32_t second = condition_number(&operands[ADRENO_ISA_PLACE_SRC1]);
    switch (builder->inst->op) {
    case ADRENO_ISA_OP_NOP:
    case ADRENO_ISA_OP_FENCE:
    case ADRENO_ISA_OP_SLEEP:
    case ADRENO_ISA_OP_ICINV:
    case ADRENO_ISA_OP_CHMASK: /* all fibers are active again, which those that end together are */
    case ADRENO_ISA_OP_DCCLN:
    case ADRENO_ISA_OP_DCINV:
    case ADRENO_ISA_OP_DCFLU:
    case ADRENO_ISA_OP_TCINV:
        return true;
    case ADRENO_ISA_OP_END:
        adreno_sp_build(builder, run_end);
        builder->exec.ends_block = true;
        return true;
    case ADRENO_ISA_OP_CHSH:
        adreno_sp_build(builder, run_chain);
        builder->exec.ends_block = true;
        return true;
    case ADRENO_ISA_OP_KILL:
        adreno_sp_build(builder, run_kill)->imm = first;
        return true;
    case ADRENO_ISA_OP_PREDT:
        adreno_sp_build(builder, run_predicate)->imm = 1;
        return true;
    case ADRENO_ISA_OP_PREDF:
        adreno_sp_build(builder, run_predicate)->imm = 2;
        return true;
    case ADRENO_ISA_OP_PREDE:
        adreno_sp_build(builder, run_predicate)->imm = 0;
        return true;
    case ADRENO_ISA_OP_JUMP:
        return build_branch(builder, run_goto, ADRENO_ISA_PLACE_SRC0, 0);
    case ADRENO_ISA_OP_CALL:
        return build_branch(builder, run_call, ADRENO_ISA_PLACE_SRC0, 0);
    case ADRENO_ISA_OP_RET:
        adreno_sp_build(builder, run_ret);
        builder->exec.ends_block = true;
        return true;
    case ADRENO_ISA_OP_GETONE:
        return build_branch(builder, run_getone, ADRENO_ISA_PLACE_SRC0, 0);
    case ADRENO_ISA_OP_GETLAST:
        return build_branch(builder, run_getlast, ADRENO_ISA_PLACE_SRC0, 0);
    case ADRENO_ISA_OP_SHPS:
        return build_branch(builder, run_shps, ADRENO_ISA_PLACE_SRC0, 0);
    case ADRENO_ISA_OP_SHPE:
        adreno_sp_build(builder, run_shpe);
        return true;
    case ADRENO_ISA_OP_BR:
        return build_branch(builder, run_br, ADRENO_ISA_PLACE_SRC1, first);
    case ADRENO_ISA_OP_BANY:
        return build_branch(builder, run_bany, ADRENO_ISA_PLACE_SRC1, first);
    case ADRENO_ISA_OP_BALL:
        return build_branch(builder, run_ball, ADRENO_ISA_PLACE_SRC1, first);
    case ADRENO_ISA_OP_BRAO:
        return build_branch(builder, run_brao, ADRENO_ISA_PLACE_SRC2, first | second << 3);
    case ADRENO_ISA_OP_BRAA:
        return build_branch(builder, run_braa, ADRENO_ISA_PLACE_SRC2, first | second << 3);
    case ADRENO_ISA_OP_BAR:
        adreno_sp_build(builder, run_barrier);
        return true;
    default: /* emit, cut; brac, brax, bkt, flow_rev: no driver uses them */
        return false;
    }
}
