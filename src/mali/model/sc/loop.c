/* Loops of this family as host code (model/exec/loop.h): how a body is followed, how the code is entered and left. A
 * loop in it may be a shuffle (shuffle.c). Not for: loops with messages (memory, textures) or a barrier, which
 * micro-operations and runs do. */
#include <stddef.h>

#include "mali/model/sc/jit.h"
#include "mali/model/sc/jit_build.h"

#define MOST_UOPS 1024 /* of a body */

_Static_assert(MALI_WARP_UNIFORMS == EXEC_UNIFORMS_MAX, "scalars of a loop");

struct sc_loop {
    struct exec_loop exec;
    struct sc_jit_inputs inputs;
    uint64_t live; /* while it is followed: registers that are written where lanes leave, and may be wanted there */
};

static void enter_loop(struct mali_warp *warp, const struct sc_uop *uop);

static const struct sc_uop *original(const struct sc_uop *uop)
{
    return uop->run == enter_loop ? exec_loop_original((const struct exec_loop *)(uintptr_t)uop->target) : uop;
}

const struct sc_uop *mali_sc_loop_original(const struct sc_uop *uop)
{
    return original(mali_sc_shuffle_original(uop));
}

/* Where the loop goes on after a branch by lanes; begin_pc is the end of the round. UINT64_MAX: not as this can have
 * it. */
static uint64_t follow_branch(struct sc_jit_builder *b, struct exec_loop_body *body, const struct sc_uop *uop)
{
    struct sc_loop *loop = (struct sc_loop *)body->loop;
    const uint64_t target = uop->target_pc, next = uop->pc + 8;
    const bool stays_if_taken = exec_loop_has(body->loop, target);
    if (stays_if_taken == exec_loop_has(body->loop, next))
        return UINT64_MAX;
    const jit_value lanes = mali_sc_jit_taken(b, uop);
    mali_sc_jit_note_lives(b, uop->inst);
    for (unsigned reg = 0; reg < MALI_WARP_REGISTERS; reg++) {
        const uint32_t row = (mali_sc_register_place(reg) - b->rows.first_B) / b->rows.row_B;
        loop->live |= (uint64_t)(b->rows.stores[row] != JIT_NONE && !(b->dead >> reg & 1)) << reg;
    }
    exec_loop_leave(body, stays_if_taken ? lanes : lane_program_not(&b->exec.program, lanes),
                    stays_if_taken ? next : target);
    return stays_if_taken ? target : next;
}

/* Lanes that miss leave later than the others, which wait for them at the one way out, and give nothing to a
 * shuffle. */
static bool close_loop(struct sc_jit_builder *b, struct exec_loop_body *body)
{
    return (!b->inputs.site_count || (body->loop->exit_count == 1 && !b->row_count)) && mali_sc_shuffle_is_good(b) &&
           exec_loop_close(body);
}

/* Through one round. */
static bool follow_round(struct exec_lowering *lowering, struct exec_loop_body *body, void *wave)
{
    struct sc_jit_builder *b = (struct sc_jit_builder *)lowering;
    struct mali_warp *warp = wave;
    const struct sc_uop *uop = body->loop->head;
    body->loop->exit_count = 0;
    if (!body->is_final)
        ((struct sc_loop *)body->loop)->live = 0;
    for (uint32_t n = 0; n < MOST_UOPS && uop && !b->exec.program.failed; n++) {
        const struct sc_uop *at = original(uop++);
        const enum sc_flow flow = mali_sc_flow(at);
        if (mali_sc_jit_is_head(at))
            continue;
        const struct sc_shuffle *shuffle = mali_sc_shuffle_at(warp, at->pc);
        if (shuffle) {
            const uint64_t after = mali_sc_shuffle_lower(b, shuffle);
            if (!exec_loop_has(body->loop, after))
                return false;
            uop = mali_sc_code_enter(warp, after);
            continue;
        }
        if (flow == SC_FLOW_NONE) {
            if (!mali_sc_jit_lower_uop(b, at))
                return false;
            if (original(uop)->pc != at->pc || mali_sc_flow(uop) == SC_FLOW_ALWAYS)
                mali_sc_jit_note_lives(b, at->inst);
            continue;
        }
        const uint64_t pc = flow == SC_FLOW_ALWAYS ? at->target_pc : follow_branch(b, body, at);
        if (pc == body->loop->begin_pc)
            return close_loop(b, body);
        if (!exec_loop_has(body->loop, pc))
            return false;
        uop = mali_sc_code_enter(warp, pc);
    }
    return false;
}

/* Registers whose last reader in a round says so end there, unless lanes leave before it. */
static void drop_dead(struct exec_lowering *lowering, struct exec_loop *exec_loop, struct exec_rows *found)
{
    struct sc_jit_builder *b = (struct sc_jit_builder *)lowering;
    const struct sc_loop *loop = (const struct sc_loop *)exec_loop;
    for (unsigned reg = 0; reg < MALI_WARP_REGISTERS; reg++) {
        if ((b->dead & ~loop->live) >> reg & 1)
            exec_rows_end_with_loop(found, &b->exec.program, mali_sc_register_place(reg));
    }
}

static void begin_lowering(struct exec_lowering *lowering, const void *warp)
{
    mali_sc_jit_begin((struct sc_jit_builder *)lowering, warp);
}

static void keep_loop(struct exec_lowering *lowering, struct exec_loop *loop)
{
    ((struct sc_loop *)loop)->inputs = ((struct sc_jit_builder *)lowering)->inputs;
    loop->counts->shuffles += ((struct sc_jit_builder *)lowering)->row_count;
}

static void head(void *uop, struct exec_loop *loop)
{
    *(struct sc_uop *)uop =
        (struct sc_uop){.run = enter_loop, .pc = loop->begin_pc, .target = (const struct sc_uop *)(uintptr_t)loop};
}

static bool bring_inputs(struct exec_loop *loop, void *warp)
{
    return mali_sc_jit_bring(warp, &((struct sc_loop *)loop)->inputs);
}

static const void *code_at(void *warp, uint64_t pc)
{
    return mali_sc_code_enter(warp, pc);
}

static void stopped(struct exec_loop *loop, void *warp)
{
    mali_sc_fault(warp, loop->back, MALI_FAULT_KILLED, "the job was killed");
}

/* Lanes that have run wait for the others where all leave. */
static void missed(struct exec_loop *loop, void *wave, uint32_t way)
{
    struct mali_warp *warp = wave;
    const uint64_t left = warp->active & ~0ull << jit_lanes_done(way);
    if (left != warp->active)
        mali_sc_park(warp, loop->exits[0], warp->active & ~left);
    mali_warp_run_lanes(warp, left);
    ((struct sc_loop *)loop)->inputs.sites[jit_miss_number(way)]->is_wanted = true;
}

static const struct exec_loop_family loops = {
    .uop_size_B = sizeof(struct sc_uop),
    .loop_size_B = sizeof(struct sc_loop),
    .scalars_B = offsetof(struct mali_warp, uniforms),
    .begin = begin_lowering,
    .follow = follow_round,
    .drop_dead = drop_dead,
    .keep = keep_loop,
    .head = head,
    .bring = bring_inputs,
    .at = code_at,
    .stopped = stopped,
    .missed = missed,
};

#define LOOK_AGAIN 1024 /* rounds, for looking takes as long as many of them */

void mali_sc_loop_found(struct mali_warp *warp, const struct sc_uop *branch)
{
    struct sc_uop *first = (struct sc_uop *)branch->target; /* this worker's own */
    if (mali_sc_shuffle_found(warp, branch))
        return;
    if (!warp->is_full) { /* another one may be */
        ((struct sc_uop *)branch)->countdown = LOOK_AGAIN;
        return;
    }
    if (first->run == enter_loop)
        return;
    const struct jit_frame frame = {MALI_ROW_LANES, offsetof(struct mali_warp, active_lanes), sizeof(struct mali_warp),
                                    offsetof(struct mali_warp, stop_flag)};
    struct sc_jit_builder *b = mali_sc_code_jit(warp->code);
    exec_loop_found(&loops, mali_sc_code_exec(warp->code), &b->exec, &b->rows, warp, &frame,
                    &(struct exec_loop_place){branch->target_pc, branch->pc, branch->target_pc, first, branch});
}

/* Lanes that are parked in the loop join there: such warps are not for the code. */
static void enter_loop(struct mali_warp *warp, const struct sc_uop *uop)
{
    struct exec_loop *loop = (struct exec_loop *)(uintptr_t)uop->target;
    const struct sc_uop *next = NULL, *first = exec_loop_original(loop);
    if (warp->is_full) /* when some have missed, the rounds of the others come here */
        next = exec_loop_enter(&loops, loop, warp,
                               !warp->parked_count && exec_rows_bring(&loop->uniforms, warp, SC_ROW_B));
    if (next)
        warp->next = next;
    else if (warp->state != MALI_WARP_FAULTED)
        first->run(warp, first);
}

bool mali_sc_loop_is_head(const struct sc_uop *uop)
{
    return uop->run == enter_loop;
}
