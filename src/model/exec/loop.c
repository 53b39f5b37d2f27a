/* See loop.h. */
#include "model/exec/loop.h"

#include <string.h>

#include "util/debug.h"

#define WORTH_IT 48

uint32_t exec_loop_countdown(const struct exec_code *code)
{
    return !code->jit ? 0 : debug_enabled(DEBUG_JITNOW) ? 1 : WORTH_IT;
}

/* Everything up to the body. `found` is what was so at the end of the first time; uniforms.scalars_B is known. */
static void exec_loop_open(struct exec_loop_body *body, const struct exec_rows *found, const void *wave)
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

/* ---- compiling ---- */

jit_code exec_loop_make(const struct exec_loop_code *loop)
{
    const uint32_t size_B = jit_size_B(loop->code->jit);
    const struct lane_program *program = loop->program;
    const jit_code made =
        program ? exec_code_compile(loop->code, program, loop->frame, loop->variant & EXEC_ALL_ACTIVE) : NULL;
    loop->code->counts.loops += made != NULL;
    if (debug_enabled(DEBUG_JIT))
        exec_report(&(struct exec_report){
            .code = made,
            .size_B = jit_size_B(loop->code->jit) - size_B,
            .is_loop = true,
            .va = loop->va,
            .lanes = loop->frame->lanes,
            .variant = loop->variant,
            .count = loop->exit_count,
            .operations = program ? program->count : 0,
        });
    return made;
}

static bool write_program(const struct exec_loop_family *family, struct exec_lowering *lowering, struct exec_rows *rows,
                          struct exec_loop *loop, void *wave)
{
    struct exec_loop_body body = {.loop = loop, .rows = rows, .program = &lowering->program};
    family->begin(lowering, wave);
    rows->in_loop = true;
    if (!family->follow(lowering, &body, wave))
        return false;
    struct exec_rows found = *rows;
    family->drop_dead(lowering, loop, &found);
    family->begin(lowering, wave);
    exec_loop_open(&body, &found, wave);
    return family->follow(lowering, &body, wave);
}

void exec_loop_found(const struct exec_loop_family *family, struct exec_code *code, struct exec_lowering *lowering,
                     struct exec_rows *rows, void *wave, const struct jit_frame *frame,
                     const struct exec_loop_place *place)
{
    struct exec_loop *loop = exec_code_alloc(code, family->loop_size_B);
    if (!loop)
        return;
    memset(loop, 0, family->loop_size_B);
    loop->begin_pc = place->begin_pc;
    loop->end_pc = place->end_pc;
    loop->head = place->head;
    loop->back = place->back;
    loop->counts = &code->counts;
    loop->uniforms.scalars_B = family->scalars_B;
    const bool is_written = write_program(family, lowering, rows, loop, wave);
    if (is_written)
        family->keep(lowering, loop);
    loop->code = exec_loop_make(&(struct exec_loop_code){code, is_written ? &lowering->program : NULL, frame,
                                                         EXEC_ALL_ACTIVE, place->va, loop->exit_count});
    if (!loop->code)
        return;
    memcpy(loop->saved, loop->head, family->uop_size_B);
    memset(loop->head, 0, family->uop_size_B);
    family->head(loop->head, loop);
}

/* ---- running ---- */

/* Looking at waves that it is not for costs time. */
static void give_up_some_time(const struct exec_loop_family *family, struct exec_loop *loop)
{
    if (++loop->misses == EXEC_LOOP_MISSES)
        memcpy(loop->head, loop->saved, family->uop_size_B);
}

const void *exec_loop_enter(const struct exec_loop_family *family, struct exec_loop *loop, void *wave, bool is_for)
{
    if (!is_for || !family->bring(loop, wave)) {
        give_up_some_time(family, loop);
        return NULL;
    }
    loop->counts->loop_entries++;
    const uint32_t way = loop->code(wave);
    if (__builtin_expect(way & JIT_MISSED, 0)) {
        if (way == JIT_STOPPED) {
            family->stopped(loop, wave);
        } else {
            loop->counts->misses++;
            give_up_some_time(family, loop);
            family->missed(loop, wave, way);
        }
        return NULL;
    }
    loop->misses = 0;
    if (__builtin_expect(!loop->ways[way], 0))
        loop->ways[way] = family->at(wave, loop->exits[way]);
    return loop->ways[way];
}
