/* See loop.h. */
#include "model/exec/loop.h"

#include "util/debug.h"

#define WORTH_IT 48

uint32_t exec_loop_countdown(const struct exec_code *code)
{
    return !code->jit ? 0 : debug_enabled(DEBUG_JITNOW) ? 1 : WORTH_IT;
}

void exec_loop_open(struct exec_loop_body *body, const struct exec_rows *found, const void *wave)
{
    body->is_final = true;
    body->loop->uniforms.count = body->same_count = 0;
    exec_rows_before_loop(body->rows, body->program, found, &body->loop->uniforms, wave);
    lane_program_emit(body->program, JIT_LOOP, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    exec_rows_phis(body->rows, body->program, found);
}

void exec_loop_must_be_same(struct exec_loop_body *body, jit_value value)
{
    if (!body->is_final)
        return;
    if (body->same_count == sizeof(body->same) / sizeof(body->same[0]))
        body->program->failed = true;
    else
        body->same[body->same_count++] = value;
}

void exec_loop_leave(struct exec_loop_body *body, jit_value goes_on, uint64_t exit_pc)
{
    struct lane_program *p = body->program;
    struct exec_loop *loop = body->loop;
    if (loop->exit_count == JIT_MAX_LEAVES) {
        p->failed = true;
        return;
    }
    exec_loop_must_be_same(body, goes_on);
    if (body->is_final) {
        lane_program_emit(p, JIT_LEAVE, goes_on, JIT_NONE, JIT_NONE, loop->exit_count);
        exec_rows_results(body->rows, p);
        lane_program_emit(p, JIT_STAY, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    }
    loop->exits[loop->exit_count++] = exit_pc;
}

/* A loop that waits for what another wave stores must give way to it. */
static bool waits_for_memory(const struct lane_program *p)
{
    bool is_loaded[JIT_MAX_INSTS] = {false}, changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < p->count; i++) {
            const struct jit_inst *inst = &p->insts[i];
            bool any = inst->op == JIT_LOAD;
            for (unsigned n = 0; n < jit_operand_count(inst->op); n++) {
                const jit_value v = n == 0 ? inst->a : n == 1 ? inst->b : inst->c;
                any |= v != JIT_NONE && is_loaded[v];
            }
            if (any && inst->op == JIT_LEAVE)
                return true;
            changed |= any != is_loaded[i];
            is_loaded[i] = any;
        }
    }
    return false;
}

static bool is_same_where_it_must(const struct exec_loop_body *body)
{
    bool is_same[JIT_MAX_INSTS], all = true;
    jit_find_same(body->program->insts, body->program->count, is_same);
    for (uint32_t i = 0; i < body->same_count; i++)
        all &= is_same[body->same[i]];
    return all;
}

bool exec_loop_close(struct exec_loop_body *body)
{
    struct lane_program *p = body->program;
    if (p->failed || !body->loop->exit_count || !body->is_final)
        return !p->failed && body->loop->exit_count;
    exec_rows_next_round(body->rows, p);
    lane_program_emit(p, JIT_AGAIN, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    return !p->failed && is_same_where_it_must(body) && !waits_for_memory(p);
}
