/* Loops of this family as host code (model/exec/loop.h): how a body is followed, how the code is entered and left. Not for:
 * loops with messages (memory, textures) or a barrier, which micro-operations and runs do. */
#include <stddef.h>

#include "mali/model/sc/jit.h"
#include "mali/model/sc/jit_build.h"
#include "util/debug.h"

#define MOST_UOPS 1024 /* of a body */

_Static_assert(MALI_WARP_UNIFORMS == EXEC_UNIFORMS_MAX, "scalars of a loop");

struct sc_loop {
    struct exec_loop exec;
    struct sc_uop saved;                        /* what the first micro-operation was */
    const struct sc_uop *back;                  /* the branch, for reports */
    const struct sc_uop *exits[JIT_MAX_LEAVES]; /* once they are needed */
    struct sc_jit_inputs inputs;
    uint64_t live; /* while it is followed: registers that are written where lanes leave, and may be wanted there */
};

static void enter(struct mali_warp *warp, const struct sc_uop *uop);

static const struct sc_uop *original(const struct sc_uop *uop)
{
    return uop->run == enter ? &((const struct sc_loop *)(uintptr_t)uop->target)->saved : uop;
}

/* Lanes that a branch by a register takes. */
static jit_value taken(struct sc_jit_builder *b, const struct sc_uop *uop)
{
    struct lane_program *p = &b->exec.program;
    jit_value value = mali_sc_jit_read_row(b, uop->s[0]);
    if (uop->imm == MALI_ISA_COMBINE_H0 || uop->imm == MALI_ISA_COMBINE_H1)
        value =
            lane_program_and(p, value, lane_program_const(p, uop->imm == MALI_ISA_COMBINE_H0 ? 0xffffu : 0xffff0000u));
    const jit_value is_zero = lane_program_eq(p, value, lane_program_const(p, 0));
    return uop->imm2 ? is_zero : lane_program_not(p, is_zero);
}

/* Where the loop goes on after a branch by lanes; begin_pc is the end of the round. UINT64_MAX: not as this can have it. */
static uint64_t follow_branch(struct sc_jit_builder *b, struct exec_loop_body *body, const struct sc_uop *uop)
{
    struct sc_loop *loop = (struct sc_loop *)body->loop;
    const uint64_t target = uop->target_pc, next = uop->pc + 8;
    const bool stays_if_taken = exec_loop_has(body->loop, target);
    if (stays_if_taken == exec_loop_has(body->loop, next))
        return UINT64_MAX;
    const jit_value lanes = taken(b, uop);
    mali_sc_jit_note_lives(b, uop->inst);
    for (unsigned reg = 0; reg < MALI_WARP_REGISTERS; reg++) {
        const uint32_t row = (mali_sc_register_place(reg) - b->rows.first_B) / b->rows.row_B;
        loop->live |= (uint64_t)(b->rows.stores[row] != JIT_NONE && !(b->dead >> reg & 1)) << reg;
    }
    exec_loop_leave(body, stays_if_taken ? lanes : lane_program_not(&b->exec.program, lanes),
                    stays_if_taken ? next : target);
    return stays_if_taken ? target : next;
}

/* Through one round. */
static bool follow(struct sc_jit_builder *b, struct exec_loop_body *body, struct mali_warp *warp)
{
    const struct sc_uop *uop = body->loop->head;
    body->loop->exit_count = 0;
    for (uint32_t n = 0; n < MOST_UOPS && uop && !b->exec.program.failed; n++) {
        const struct sc_uop *at = original(uop++);
        const enum sc_flow flow = mali_sc_flow(at);
        if (mali_sc_jit_is_head(at))
            continue;
        if (flow == SC_FLOW_NONE) {
            if (!mali_sc_jit_lower_uop(b, at))
                return false;
            if (original(uop)->pc != at->pc || mali_sc_flow(uop) == SC_FLOW_ALWAYS)
                mali_sc_jit_note_lives(b, at->inst);
            continue;
        }
        const uint64_t pc = flow == SC_FLOW_ALWAYS ? at->target_pc : follow_branch(b, body, at);
        if (pc == body->loop->begin_pc)
            return exec_loop_close(body);
        if (!exec_loop_has(body->loop, pc))
            return false;
        uop = mali_sc_code_enter(warp, pc);
    }
    return false;
}

/* Registers whose last reader in a round says so end there, unless lanes leave before it. */
static void drop_dead_rows(struct sc_jit_builder *b, struct exec_rows *found, const struct sc_loop *loop)
{
    for (unsigned reg = 0; reg < MALI_WARP_REGISTERS; reg++) {
        if ((b->dead & ~loop->live) >> reg & 1)
            exec_rows_end_with_loop(found, &b->exec.program, mali_sc_register_place(reg));
    }
}

static bool write_program(struct sc_jit_builder *b, struct sc_loop *loop, struct mali_warp *warp)
{
    struct exec_loop_body body = {.loop = &loop->exec, .rows = &b->rows, .program = &b->exec.program};
    loop->live = 0;
    mali_sc_jit_begin(b, warp);
    b->rows.in_loop = true;
    if (!follow(b, &body, warp))
        return false;
    struct exec_rows found = b->rows;
    drop_dead_rows(b, &found, loop);
    mali_sc_jit_begin(b, warp);
    exec_loop_open(&body, &found, warp);
    return follow(b, &body, warp);
}

static void compile(struct mali_warp *warp, struct sc_loop *loop)
{
    const struct jit_frame frame = {MALI_ROW_LANES, offsetof(struct mali_warp, active_lanes), sizeof(struct mali_warp),
                                    offsetof(struct mali_warp, stop_flag)};
    struct exec_code *code = mali_sc_code_exec(warp->code);
    struct sc_jit_builder *b = mali_sc_code_jit(warp->code);
    const uint32_t size_B = jit_size_B(code->jit);
    if (write_program(b, loop, warp)) {
        loop->inputs = b->inputs;
        loop->exec.code = jit_compile(code->jit, b->exec.program.insts, b->exec.program.count, &frame, true);
    }
    if (debug_enabled(DEBUG_JIT))
        exec_report(&(struct exec_report){
            .code = loop->exec.code,
            .size_B = jit_size_B(code->jit) - size_B,
            .is_loop = true,
            .va = loop->exec.begin_pc,
            .lanes = MALI_ROW_LANES,
            .variant = EXEC_ALL_ACTIVE,
            .count = loop->exec.exit_count,
            .operations = b->exec.program.count,
        });
}

void mali_sc_loop_found(struct mali_warp *warp, const struct sc_uop *branch)
{
    struct sc_uop *head = (struct sc_uop *)branch->target; /* this worker's own */
    if (!warp->is_full) {                                  /* another one may be */
        ((struct sc_uop *)branch)->countdown = 1;
        return;
    }
    struct sc_loop *loop = head->run == enter ? NULL : exec_code_alloc(mali_sc_code_exec(warp->code), sizeof(*loop));
    if (!loop)
        return;
    memset(loop, 0, sizeof(*loop));
    loop->exec = (struct exec_loop){.begin_pc = branch->target_pc,
                                    .end_pc = branch->pc,
                                    .head = head,
                                    .uniforms.scalars_B = offsetof(struct mali_warp, uniforms)};
    loop->back = branch;
    compile(warp, loop);
    if (!loop->exec.code)
        return;
    loop->saved = *head;
    *head = (struct sc_uop){.run = enter, .pc = branch->target_pc, .target = (const struct sc_uop *)(uintptr_t)loop};
}

/* Lanes that are parked in the loop join there: such warps are not for the code. */
static bool is_for(struct mali_warp *warp, const struct sc_loop *loop)
{
    return warp->is_full && !warp->parked_count && exec_rows_bring(&loop->exec.uniforms, warp, SC_ROW_B);
}

static void enter(struct mali_warp *warp, const struct sc_uop *uop)
{
    struct sc_loop *loop = (struct sc_loop *)(uintptr_t)uop->target;
    if (!is_for(warp, loop)) {
        if (++loop->exec.misses == EXEC_LOOP_MISSES)
            *(struct sc_uop *)loop->exec.head = loop->saved;
        loop->saved.run(warp, &loop->saved);
        return;
    }
    loop->exec.misses = 0;
    mali_sc_jit_bring(warp, &loop->inputs);
    const uint32_t way = loop->exec.code(warp);
    if (__builtin_expect(way == JIT_STOPPED, 0)) {
        mali_sc_fault(warp, loop->back, MALI_FAULT_KILLED, "the job was killed");
        return;
    }
    if (__builtin_expect(!loop->exits[way], 0))
        loop->exits[way] = mali_sc_code_enter(warp, loop->exec.exits[way]);
    warp->next = loop->exits[way];
}

bool mali_sc_loop_is_head(const struct sc_uop *uop)
{
    return uop->run == enter;
}
