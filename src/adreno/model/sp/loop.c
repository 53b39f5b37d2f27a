/* Loops of this family as host code (model/exec/loop.h): how a body is followed, how the code is entered and left. A
 * loop in it may be a shuffle (shuffle.c). Not for: loops with stores, local memory, predication, calls, or a barrier,
 * which micro-operations and runs do. */
#include <stddef.h>

#include "adreno/model/sp/jit.h"
#include "adreno/model/sp/jit_build.h"
#include "adreno/model/sp/uops.h"

#define MOST_UOPS 1024 /* of a body */

_Static_assert(ADRENO_WAVE_UNIFORMS == EXEC_UNIFORMS_MAX, "scalars of a loop");

struct sp_loop {
    struct exec_loop exec;
    struct sp_jit_inputs inputs;
};

static void enter_loop(struct adreno_wave *wave, const struct sp_uop *uop);

static const struct sp_uop *original(const struct sp_uop *uop)
{
    return uop->run == enter_loop ? exec_loop_original((const struct exec_loop *)(uintptr_t)uop->target) : uop;
}

/* Where the loop goes on after a branch by lanes; begin_pc is the end of the round. UINT64_MAX: not as this can have
 * it. */
static uint64_t follow_branch(struct sp_jit_builder *b, struct exec_loop_body *body, const struct sp_uop *uop)
{
    const struct exec_loop *loop = body->loop;
    const uint64_t target = uop->target_pc, next = (uint64_t)uop->pc + 1;
    const bool stays_if_taken = exec_loop_has(loop, target);
    if (stays_if_taken == exec_loop_has(loop, next))
        return UINT64_MAX;
    const jit_value lanes = adreno_sp_jit_taken(b, uop);
    exec_loop_leave(body, stays_if_taken ? lanes : lane_program_not(&b->exec.program, lanes),
                    stays_if_taken ? next : target);
    return stays_if_taken ? target : next;
}

/* A shared register: one value for all lanes, which other lanes than those of the loop see. */
static bool lower_share(struct sp_jit_builder *b, struct exec_loop_body *body, const struct sp_uop *uop)
{
    const jit_value value = adreno_sp_jit_read_row(b, uop->s[0]);
    exec_loop_must_be_same(body, value);
    if (uop->imm)
        adreno_sp_jit_write_half(b, uop->d, value);
    else
        adreno_sp_jit_write_row(b, uop->d, value);
    return !b->exec.program.failed;
}

/* Through one round. */
static bool follow_round(struct exec_lowering *lowering, struct exec_loop_body *body, void *at_wave)
{
    struct sp_jit_builder *b = (struct sp_jit_builder *)lowering;
    struct adreno_wave *wave = at_wave;
    const struct sp_uop *uop = body->loop->head;
    body->loop->exit_count = 0;
    for (uint32_t n = 0; n < MOST_UOPS && uop && !b->exec.program.failed; n++) {
        const struct sp_uop *at = original(uop++);
        const enum sp_flow flow = adreno_sp_flow(at);
        if (adreno_sp_jit_is_head(at) || adreno_sp_is_join(at))
            continue;
        const struct sp_shuffle *shuffle = adreno_sp_shuffle_at(wave, at->pc);
        if (shuffle) {
            const uint32_t after = adreno_sp_shuffle_lower(b, shuffle);
            if (!exec_loop_has(body->loop, after))
                return false;
            uop = adreno_sp_code_enter(wave, after);
            continue;
        }
        if (flow == SP_FLOW_NONE) {
            if (at->run == adreno_sp_uop_share ? !lower_share(b, body, at) : !adreno_sp_jit_lower_uop(b, at))
                return false;
            continue;
        }
        const uint64_t pc = flow == SP_FLOW_ALWAYS ? at->target_pc : follow_branch(b, body, at);
        if (pc == body->loop->begin_pc)
            return !b->inputs.has_local && adreno_sp_shuffle_is_good(b) && exec_loop_close(body);
        if (!exec_loop_has(body->loop, pc))
            return false;
        uop = adreno_sp_code_enter(wave, (uint32_t)pc);
    }
    return false;
}

static void drop_dead(struct exec_lowering *lowering, struct exec_loop *loop, struct exec_rows *found)
{
    struct sp_jit_builder *b = (struct sp_jit_builder *)lowering;
    struct sp_jit_live live = {{0}};
    for (uint32_t i = 0; i < loop->exit_count; i++) {
        const struct sp_jit_live one = adreno_sp_jit_live(b->wave, (uint32_t)loop->exits[i], true);
        for (unsigned n = 0; n < SP_JIT_LIVE_WORDS; n++)
            live.units[n] |= one.units[n];
    }
    for (unsigned row = 0; row < ADRENO_WAVE_ROWS; row++) {
        if (!sp_jit_is_live(&live, row))
            exec_rows_end_with_loop(found, &b->exec.program,
                                    (uint32_t)offsetof(struct adreno_wave, rows) + row * b->wave->lanes * 4);
    }
}

static void begin_lowering(struct exec_lowering *lowering, const void *wave)
{
    lowering->variant = EXEC_ALL_ACTIVE;
    adreno_sp_jit_begin((struct sp_jit_builder *)lowering, wave);
}

static void keep_loop(struct exec_lowering *lowering, struct exec_loop *loop)
{
    ((struct sp_loop *)loop)->inputs = ((struct sp_jit_builder *)lowering)->inputs;
    loop->counts->shuffles += ((struct sp_jit_builder *)lowering)->row_count;
}

static void head(void *uop, struct exec_loop *loop)
{
    *(struct sp_uop *)uop = (struct sp_uop){
        .run = enter_loop, .pc = (uint32_t)loop->begin_pc, .target = (const struct sp_uop *)(uintptr_t)loop};
}

static bool bring_inputs(struct exec_loop *loop, void *wave)
{
    return adreno_sp_jit_bring(wave, &((struct sp_loop *)loop)->inputs);
}

static const void *code_at(void *wave, uint64_t pc)
{
    return adreno_sp_code_enter(wave, (uint32_t)pc);
}

static void stopped(struct exec_loop *loop, void *wave)
{
    adreno_sp_fault(wave, loop->back, ADRENO_FAULT_KILLED, "the job was killed");
}

static const struct exec_loop_family loops = {
    .uop_size_B = sizeof(struct sp_uop),
    .loop_size_B = sizeof(struct sp_loop),
    .scalars_B = offsetof(struct adreno_wave, uniforms),
    .begin = begin_lowering,
    .follow = follow_round,
    .drop_dead = drop_dead,
    .keep = keep_loop,
    .head = head,
    .bring = bring_inputs,
    .at = code_at,
    .stopped = stopped,
};

void adreno_sp_loop_found(struct adreno_wave *wave, const struct sp_uop *branch)
{
    struct sp_uop *first = (struct sp_uop *)branch->target; /* this worker's own */
    if (adreno_sp_shuffle_found(wave, branch))
        return;
    if (!wave->is_full) { /* another wave may be */
        ((struct sp_uop *)branch)->countdown = 1;
        return;
    }
    if (first->run == enter_loop)
        return;
    const struct jit_frame frame = {wave->lanes, offsetof(struct adreno_wave, active_lanes),
                                    (uint32_t)sizeof(struct adreno_wave) + ADRENO_WAVE_ROWS * ADRENO_WAVE_LANES_MAX * 4,
                                    offsetof(struct adreno_wave, stop_flag)};
    struct sp_jit_builder *b = adreno_sp_code_jit(wave->code);
    exec_loop_found(&loops, adreno_sp_code_exec(wave->code), &b->exec, &b->rows, wave, &frame,
                    &(struct exec_loop_place){branch->target_pc, branch->pc,
                                              wave->launch->program_va + branch->target_pc * 8ull, first, branch});
}

/* Fibers that are parked in the loop join there: such waves are not for the code. */
static void enter_loop(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct exec_loop *loop = (struct exec_loop *)(uintptr_t)uop->target;
    const struct sp_uop *next = NULL, *first = exec_loop_original(loop);
    if (wave->is_full) /* when some have missed, the rounds of the others come here */
        next = exec_loop_enter(&loops, loop, wave,
                               !wave->predication && !wave->parked_count &&
                                   exec_rows_bring(&loop->uniforms, wave, wave->lanes * 4));
    if (next)
        wave->next = next;
    else if (wave->state != ADRENO_WAVE_FAULTED)
        first->run(wave, first);
}

bool adreno_sp_loop_is_head(const struct sp_uop *uop)
{
    return uop->run == enter_loop;
}
