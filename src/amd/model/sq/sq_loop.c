/* See sq_loop.h. The body is followed twice, from its first instruction through every branch that stays in the loop:
 * first to find out what it reads and writes, then to write the program. */
#include "amd/model/sq/sq_loop.h"

#include "amd/model/sq/sq_control.h"
#include "amd/model/sq/sq_jit.h"
#include "amd/model/sq/sq_jit_build.h"
#include "model/exec/loop.h"

#define MOST_UOPS 1024 /* of a body */

struct exit {
    uint64_t va;
    const struct sq_uop *uop; /* once it is needed */
};

struct sq_loop {
    uint64_t begin_va, end_va; /* the first instruction, and the one after the last */
    const struct sq_uop *head; /* the first micro-operation of the first block */
    struct sq_uop saved[2];    /* what it was, and the next, which a branch looks at */
    const struct sq_uop *back; /* the branch that ends it, for reports */
    uint32_t mode;             /* HW_REG_MODE that it was compiled for */
    bool is_tried[2];          /* with some lanes active, with all */
    jit_code code[2];
    struct sq_jit_inputs inputs;
    uint32_t result_count;
    sq_place results[SQ_RESULTS]; /* where sq_wave.results go */
    uint32_t exit_count;
    struct exit exits[JIT_MAX_LEAVES];
};

static void enter_loop(struct sq_wave *wave, const struct sq_uop *uop);

uint32_t amd_sq_loop_countdown(struct sq_code *code)
{
    return exec_loop_countdown(amd_sq_code_exec(code));
}

const struct sq_uop *amd_sq_loop_original(const struct sq_uop *uop)
{
    return uop->run == enter_loop ? ((const struct sq_loop *)(uintptr_t)uop->target_va)->saved : uop;
}

/* ---- what the body does ---- */

static bool is_inside(const struct sq_loop *loop, uint64_t va)
{
    return va >= loop->begin_va && va < loop->end_va;
}

/* On a way out: everything that the loop changes. */
static void write_results(struct sq_jit_builder *b, struct sq_loop *loop)
{
    struct lane_program *p = &b->exec.program;
    struct sq_jit_places *places = &b->places;
    const uint32_t at = offsetof(struct sq_wave, results);
    uint32_t count = 0;
    exec_rows_results(&places->rows, p);
    for (uint32_t i = 0; i < SQ_REGISTERS; i++) {
        if (places->mask_stores[i] != JIT_NONE)
            lane_program_emit(p, JIT_STORE_BITS, places->masks[i], JIT_NONE, JIT_NONE, amd_sq_jit_register(i));
        if (places->scalar_stores[i] == JIT_NONE || count == SQ_RESULTS - 1)
            continue;
        lane_program_emit(p, JIT_STORE_ONE, places->scalars[i], JIT_NONE, JIT_NONE, at + count * 4);
        loop->results[count++] = amd_sq_jit_register(i);
    }
    if (places->flag_store != JIT_NONE) {
        lane_program_emit(p, JIT_STORE_ONE, places->flag, JIT_NONE, JIT_NONE, at + count * 4);
        loop->results[count++] = (sq_place)offsetof(struct sq_wave, scc);
    }
    loop->result_count = count;
    p->failed |= count == SQ_RESULTS;
}

/* A conditional branch: where the loop goes on; 0: not as this can have it. */
static uint64_t lower_branch(struct sq_jit_builder *b, struct sq_loop *loop, const struct sq_uop *uop, bool is_final)
{
    struct lane_program *p = &b->exec.program;
    const uint64_t taken_va = uop->target_va, other_va = uop[1].target_va;
    const bool stays_if_taken = is_inside(loop, taken_va);
    if (stays_if_taken == is_inside(loop, other_va) || loop->exit_count == JIT_MAX_LEAVES)
        return 0;
    const bool stays_if_set = stays_if_taken == (amd_sq_control_flow(uop) == SQ_FLOW_SCC1);
    const jit_value scc = amd_sq_jit_read_flag(b), stays = stays_if_set ? scc : lane_program_not(p, scc);
    if (is_final) {
        lane_program_emit(p, JIT_LEAVE, stays, JIT_NONE, JIT_NONE, loop->exit_count);
        write_results(b, loop);
        lane_program_emit(p, JIT_STAY, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    }
    loop->exits[loop->exit_count++] = (struct exit){.va = stays_if_taken ? other_va : taken_va};
    return stays_if_taken ? taken_va : other_va;
}

/* Through one round. */
static bool follow_round(struct sq_jit_builder *b, struct sq_loop *loop, struct sq_wave *wave, bool is_final)
{
    struct lane_program *p = &b->exec.program;
    const struct sq_uop *uop = loop->head;
    loop->exit_count = 0;
    for (uint32_t n = 0; n < MOST_UOPS && uop && !p->failed; n++) {
        const struct sq_uop *at = amd_sq_loop_original(uop);
        const enum sq_flow flow = amd_sq_control_flow(at);
        uop++;
        if (amd_sq_jit_is_head(at))
            continue;
        if (flow == SQ_FLOW_NONE) {
            b->uop = at;
            amd_sq_jit_lower_uop(b);
            if (b->places.mask_count > JIT_MAX_MASKS || p->count > JIT_MAX_INSTS - 128 || b->places.exec_is_written)
                return false;
            continue;
        }
        const uint64_t va = flow == SQ_FLOW_ALWAYS  ? at->target_va
                            : flow == SQ_FLOW_LANES ? 0
                                                    : lower_branch(b, loop, at, is_final);
        if (va == loop->begin_va)
            return !p->failed && loop->exit_count;
        if (!is_inside(loop, va))
            return false;
        uop = amd_sq_code_enter(wave, va);
    }
    return false;
}

/* ---- compiling ---- */

static bool is_scalar_changed(const struct sq_jit_places *found, sq_place place, unsigned count, uint32_t lanes)
{
    const uint32_t first = (place - (uint32_t)offsetof(struct sq_wave, sgpr)) / 4;
    for (uint32_t i = first; i < first + count && !(place & SQ_BASE_CONSTANTS); i++) {
        if (i >= SQ_REGISTERS || found->scalar_stores[i] != JIT_NONE || found->mask_stores[i] != JIT_NONE ||
            (lanes == 64 && i && found->mask_stores[i - 1] != JIT_NONE))
            return true;
    }
    return false;
}

/* A lane mask in one place must not be a scalar in another, and inputs that are brought before must stay as they
 * are. */
static bool is_consistent(const struct sq_jit_places *found, uint32_t lanes)
{
    for (uint32_t i = 0; i + 1 < SQ_REGISTERS; i++) {
        const unsigned dwords = lanes == 64 ? 2 : 1;
        for (unsigned n = 0; n < dwords && found->masks[i] != JIT_NONE; n++) {
            if (found->scalar_stores[i + n] != JIT_NONE ||
                (found->mask_stores[i] != JIT_NONE && found->scalars[i + n] != JIT_NONE) ||
                (n && found->masks[i + n] != JIT_NONE))
                return false;
        }
    }
    for (uint32_t i = 0; i < found->inputs.view_count; i++) {
        const struct sq_jit_view *view = &found->inputs.views[i];
        if (!view->is_shared && !view->is_wave &&
            (is_scalar_changed(found, view->words, 4, lanes) || is_scalar_changed(found, view->soffset, 1, lanes)))
            return false;
    }
    for (uint32_t i = 0; i < found->lane_read_count; i++) {
        if (exec_rows_changes(&found->rows, found->lane_reads[i]))
            return false;
    }
    return !found->inputs.attribute_count;
}

static jit_value phi(struct lane_program *p, jit_value first)
{
    return lane_program_emit(p, JIT_PHI, first, JIT_NONE, JIT_NONE, 0);
}

/* Everything up to the body. */
static void write_head(struct sq_jit_builder *b, const struct sq_jit_places *found)
{
    struct lane_program *p = &b->exec.program;
    struct sq_jit_places *places = &b->places;
    exec_rows_before_loop(&places->rows, p, &found->rows, NULL, NULL);
    for (uint32_t i = 0; i < SQ_REGISTERS; i++) {
        if (found->scalars[i] != JIT_NONE)
            amd_sq_jit_read_scalar(b, amd_sq_jit_register(i));
        if (found->masks[i] != JIT_NONE)
            amd_sq_jit_read_mask(b, amd_sq_jit_register(i));
    }
    if (found->flag != JIT_NONE)
        amd_sq_jit_read_flag(b);
    lane_program_emit(p, JIT_LOOP, JIT_NONE, JIT_NONE, JIT_NONE, 0);
    places->in_loop = places->has_rows = true;
    exec_rows_phis(&places->rows, p, &found->rows);
    for (uint32_t i = 0; i < SQ_REGISTERS; i++) {
        if (found->scalar_stores[i] != JIT_NONE)
            places->scalars[i] = places->scalar_stores[i] = phi(p, places->scalars[i]);
        if (found->mask_stores[i] != JIT_NONE) {
            places->masks[i] = places->mask_stores[i] = phi(p, places->masks[i]);
            places->mask_count++;
        }
    }
    if (found->flag_store != JIT_NONE)
        places->flag = places->flag_store = phi(p, places->flag);
}

static void write_tail(struct sq_jit_builder *b)
{
    struct lane_program *p = &b->exec.program;
    struct sq_jit_places *places = &b->places;
    exec_rows_next_round(&places->rows, p);
    for (uint32_t i = 0; i < SQ_REGISTERS; i++) {
        if (places->scalar_stores[i] != JIT_NONE)
            p->insts[places->scalar_stores[i]].b = places->scalars[i];
        if (places->mask_stores[i] != JIT_NONE)
            p->insts[places->mask_stores[i]].b = places->masks[i];
    }
    if (places->flag_store != JIT_NONE)
        p->insts[places->flag_store].b = places->flag;
    lane_program_emit(p, JIT_AGAIN, JIT_NONE, JIT_NONE, JIT_NONE, 0);
}

static void drop_dead_rows(struct sq_jit_builder *b, const struct sq_loop *loop, struct sq_wave *wave,
                           struct sq_jit_places *found)
{
    uint64_t vas[JIT_MAX_LEAVES];
    for (uint32_t i = 0; i < loop->exit_count; i++)
        vas[i] = loop->exits[i].va;
    const struct sq_live live = amd_sq_loop_live(wave, vas, loop->exit_count);
    for (uint32_t v = 0; v < 256; v++) {
        if (!(live.rows[v / 64] >> v % 64 & 1))
            exec_rows_end_with_loop(&found->rows, &b->exec.program,
                                    (uint32_t)offsetof(struct sq_wave, vgpr) + v * wave->lanes * 4);
    }
}

static bool write_program(struct sq_jit_builder *b, struct sq_loop *loop, struct sq_wave *wave)
{
    b->exec.wave = wave;
    b->exec.variant = 0;
    amd_sq_jit_begin(b);
    b->places.in_loop = b->places.rows.in_loop = b->places.has_rows = true;
    if (!follow_round(b, loop, wave, false) || !is_consistent(&b->places, wave->lanes))
        return false;
    struct sq_jit_places found = b->places;
    drop_dead_rows(b, loop, wave, &found);
    amd_sq_jit_begin(b);
    write_head(b, &found);
    if (!follow_round(b, loop, wave, true))
        return false;
    write_tail(b);
    return !b->exec.program.failed;
}

static void compile_loop(struct sq_wave *wave, struct sq_loop *loop, unsigned variant)
{
    const struct jit_frame frame = {wave->lanes, offsetof(struct sq_wave, exec_lanes),
                                    (uint32_t)sizeof(struct sq_wave) + SQ_JIT_ROWS * LANES_MAX * 4,
                                    offsetof(struct sq_wave, killed)};
    struct exec_code *code = amd_sq_code_exec(wave->code);
    struct sq_jit_builder *b = amd_sq_code_jit(wave->code);
    if (loop->is_tried[variant] || ((loop->code[0] || loop->code[1]) && loop->mode != wave->mode))
        return;
    loop->is_tried[variant] = true;
    loop->mode = wave->mode;
    const bool is_written = write_program(b, loop, wave);
    if (is_written)
        loop->inputs = b->places.inputs;
    loop->code[variant] = exec_loop_make(&(struct exec_loop_code){code, is_written ? &b->exec.program : NULL, &frame,
                                                                  variant, loop->begin_va, loop->exit_count});
}

void amd_sq_loop_found(struct sq_wave *wave, const struct sq_uop *branch)
{
    if (branch->target->run == enter_loop) /* by another branch to the same place */
        return;
    struct sq_loop *loop = amd_sq_code_alloc(wave->code, sizeof(*loop));
    if (!loop)
        return;
    memset(loop, 0, sizeof(*loop));
    loop->begin_va = branch->target_va;
    loop->end_va = branch->next_va;
    loop->head = branch->target;
    loop->back = branch;
    compile_loop(wave, loop, wave->exec_full);
    if (!loop->code[wave->exec_full])
        return;
    struct sq_uop *head = (struct sq_uop *)branch->target;
    memcpy(loop->saved, head, sizeof(loop->saved));
    *head = (struct sq_uop){.run = enter_loop, .next_va = loop->begin_va, .target_va = (uintptr_t)loop};
}

/* ---- running ---- */

static void leave_loop(struct sq_wave *wave, struct sq_loop *loop, uint32_t number)
{
    if (__builtin_expect(number == JIT_STOPPED, 0)) {
        amd_sq_fault(wave, loop->back, SQ_FAULT_KILLED, "the context was lost");
        return;
    }
    for (uint32_t i = 0; i < loop->result_count; i++)
        *(uint32_t *)sq_at(wave, loop->results[i]) = wave->results[i];
    wave->scc &= 1; /* a boolean has all bits */
    struct exit *exit = &loop->exits[number];
    if (__builtin_expect(!exit->uop, 0))
        exit->uop = amd_sq_code_enter(wave, exit->va);
    wave->next = exit->uop;
}

static void enter_loop(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct sq_loop *loop = (struct sq_loop *)(uintptr_t)uop->target_va;
    const unsigned variant = wave->exec_full;
    if (__builtin_expect(!loop->is_tried[variant], 0))
        compile_loop(wave, loop, variant);
    if (__builtin_expect(!loop->code[variant] || loop->mode != wave->mode, 0) ||
        (loop->inputs.view_count && !amd_sq_jit_bring(wave, &loop->inputs, false)))
        loop->saved[0].run(wave, &loop->saved[0]);
    else {
        amd_sq_code_exec(wave->code)->counts.loop_entries++;
        leave_loop(wave, loop, loop->code[variant](wave));
    }
}

bool amd_sq_loop_is_head(const struct sq_uop *uop)
{
    return uop->run == enter_loop;
}
