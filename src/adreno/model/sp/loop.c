/* Loops of this family as host code (model/exec/loop.h): how a body is followed, how the code is entered and left. Not for:
 * loops with stores, local memory, predication, calls, or a barrier, which micro-operations and runs do. */
#include <stddef.h>

#include "adreno/model/sp/jit.h"
#include "adreno/model/sp/jit_build.h"
#include "adreno/model/sp/uops.h"
#include "util/debug.h"

#define MOST_UOPS 1024 /* of a body */

_Static_assert(ADRENO_WAVE_UNIFORMS == EXEC_UNIFORMS_MAX, "scalars of a loop");

struct sp_loop {
    struct exec_loop exec;
    struct sp_uop saved;                        /* what the first micro-operation was */
    const struct sp_uop *back;                  /* the branch, for reports */
    const struct sp_uop *exits[JIT_MAX_LEAVES]; /* once they are needed */
    struct sp_jit_inputs inputs;
};

static void enter(struct adreno_wave *wave, const struct sp_uop *uop);

static const struct sp_uop *original(const struct sp_uop *uop)
{
    return uop->run == enter ? &((const struct sp_loop *)(uintptr_t)uop->target)->saved : uop;
}

/* Lanes that a branch by predicates takes. */
static jit_value taken(struct sp_jit_builder *b, const struct sp_uop *uop)
{
    struct lane_program *p = &b->exec.program;
    const sp_place place = (sp_place)(offsetof(struct adreno_wave, rows) +
                                      (size_t)(ADRENO_ISA_REG_P0 + (uop->imm & 3)) * b->wave->lanes * 4);
    const jit_value is_zero = lane_program_eq(p, adreno_sp_jit_read_row(b, place), lane_program_const(p, 0));
    return uop->imm & 4 ? is_zero : lane_program_not(p, is_zero);
}

/* Where the loop goes on after a branch by lanes; begin_pc is the end of the round. UINT64_MAX: not as this can have it. */
static uint64_t follow_branch(struct sp_jit_builder *b, struct exec_loop_body *body, const struct sp_uop *uop)
{
    const struct exec_loop *loop = body->loop;
    const uint64_t target = uop->target_pc, next = (uint64_t)uop->pc + 1;
    const bool stays_if_taken = exec_loop_has(loop, target);
    if (stays_if_taken == exec_loop_has(loop, next))
        return UINT64_MAX;
    const jit_value lanes = taken(b, uop);
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
static bool follow(struct sp_jit_builder *b, struct exec_loop_body *body, struct adreno_wave *wave)
{
    const struct sp_uop *uop = body->loop->head;
    body->loop->exit_count = 0;
    for (uint32_t n = 0; n < MOST_UOPS && uop && !b->exec.program.failed; n++) {
        const struct sp_uop *at = original(uop++);
        const enum sp_flow flow = adreno_sp_flow(at);
        if (adreno_sp_jit_is_head(at) || adreno_sp_is_join(at))
            continue;
        if (flow == SP_FLOW_NONE) {
            if (at->run == adreno_sp_uop_share ? !lower_share(b, body, at) : !adreno_sp_jit_lower_uop(b, at))
                return false;
            continue;
        }
        const uint64_t pc = flow == SP_FLOW_ALWAYS ? at->target_pc : follow_branch(b, body, at);
        if (pc == body->loop->begin_pc)
            return exec_loop_close(body);
        if (!exec_loop_has(body->loop, pc))
            return false;
        uop = adreno_sp_code_enter(wave, (uint32_t)pc);
    }
    return false;
}

static void drop_dead_rows(struct sp_jit_builder *b, struct exec_rows *found, const struct exec_loop *loop)
{
    struct sp_jit_live live = {{0}};
    for (uint32_t i = 0; i < loop->exit_count; i++) {
        const struct sp_jit_live one = adreno_sp_jit_live(b->wave, (uint32_t)loop->exits[i]);
        for (unsigned n = 0; n < sizeof(live.rows) / sizeof(live.rows[0]); n++)
            live.rows[n] |= one.rows[n];
    }
    for (unsigned row = 0; row < ADRENO_WAVE_ROWS; row++) {
        if (!(live.rows[row / 64] >> row % 64 & 1))
            exec_rows_end_with_loop(found, &b->exec.program,
                                    (uint32_t)offsetof(struct adreno_wave, rows) + row * b->wave->lanes * 4);
    }
}

static bool write_program(struct sp_jit_builder *b, struct sp_loop *loop, struct adreno_wave *wave)
{
    struct exec_loop_body body = {.loop = &loop->exec, .rows = &b->rows, .program = &b->exec.program};
    adreno_sp_jit_begin(b, wave);
    b->rows.in_loop = true;
    if (!follow(b, &body, wave) || b->inputs.has_local)
        return false;
    struct exec_rows found = b->rows;
    drop_dead_rows(b, &found, &loop->exec);
    adreno_sp_jit_begin(b, wave);
    exec_loop_open(&body, &found, wave);
    return follow(b, &body, wave);
}

static void compile(struct adreno_wave *wave, struct sp_loop *loop)
{
    const struct jit_frame frame = {wave->lanes, offsetof(struct adreno_wave, active_lanes),
                                    (uint32_t)sizeof(struct adreno_wave) + ADRENO_WAVE_ROWS * ADRENO_WAVE_LANES_MAX * 4,
                                    offsetof(struct adreno_wave, stop_flag)};
    struct exec_code *code = adreno_sp_code_exec(wave->code);
    struct sp_jit_builder *b = adreno_sp_code_jit(wave->code);
    const uint32_t size_B = jit_size_B(code->jit);
    if (write_program(b, loop, wave)) {
        loop->inputs = b->inputs;
        loop->exec.code = jit_compile(code->jit, b->exec.program.insts, b->exec.program.count, &frame, true);
    }
    if (debug_enabled(DEBUG_JIT))
        exec_report(&(struct exec_report){
            .code = loop->exec.code,
            .size_B = jit_size_B(code->jit) - size_B,
            .is_loop = true,
            .va = wave->launch->program_va + loop->exec.begin_pc * 8,
            .lanes = wave->lanes,
            .variant = EXEC_ALL_ACTIVE,
            .count = loop->exec.exit_count,
            .operations = b->exec.program.count,
        });
}

void adreno_sp_loop_found(struct adreno_wave *wave, const struct sp_uop *branch)
{
    struct sp_uop *head = (struct sp_uop *)branch->target; /* this worker's own */
    if (!wave->is_full) {                                  /* another wave may be */
        ((struct sp_uop *)branch)->countdown = 1;
        return;
    }
    struct sp_loop *loop = head->run == enter ? NULL : exec_code_alloc(adreno_sp_code_exec(wave->code), sizeof(*loop));
    if (!loop)
        return;
    memset(loop, 0, sizeof(*loop));
    loop->exec = (struct exec_loop){.begin_pc = branch->target_pc,
                                    .end_pc = branch->pc,
                                    .head = head,
                                    .uniforms.scalars_B = offsetof(struct adreno_wave, uniforms)};
    loop->back = branch;
    compile(wave, loop);
    if (!loop->exec.code)
        return;
    loop->saved = *head;
    *head = (struct sp_uop){.run = enter, .pc = branch->target_pc, .target = (const struct sp_uop *)(uintptr_t)loop};
}

/* Fibers that are parked in the loop join there: such waves are not for the code. */
static bool is_for(struct adreno_wave *wave, const struct sp_loop *loop)
{
    return wave->is_full && !wave->predication && !wave->parked_count &&
           exec_rows_bring(&loop->exec.uniforms, wave, wave->lanes * 4);
}

static void enter(struct adreno_wave *wave, const struct sp_uop *uop)
{
    struct sp_loop *loop = (struct sp_loop *)(uintptr_t)uop->target;
    if (!is_for(wave, loop) || !adreno_sp_jit_bring(wave, &loop->inputs)) {
        if (++loop->exec.misses == EXEC_LOOP_MISSES)
            *(struct sp_uop *)loop->exec.head = loop->saved;
        loop->saved.run(wave, &loop->saved);
        return;
    }
    loop->exec.misses = 0;
    const uint32_t way = loop->exec.code(wave);
    if (__builtin_expect(way == JIT_STOPPED, 0)) {
        adreno_sp_fault(wave, loop->back, ADRENO_FAULT_KILLED, "the job was killed");
        return;
    }
    if (__builtin_expect(!loop->exits[way], 0))
        loop->exits[way] = adreno_sp_code_enter(wave, (uint32_t)loop->exec.exits[way]);
    wave->next = loop->exits[way];
}

bool adreno_sp_loop_is_head(const struct sp_uop *uop)
{
    return uop->run == enter;
}
