/* Runs of this family: what their code needs besides registers, how a run is entered, which modes it is for. Finding
 * and compiling them is model/exec/run.c's. */
#include "amd/model/sq/sq_jit.h"

#include <stdlib.h>

#include "amd/model/sq/sq_hook.h"
#include "amd/model/sq/sq_jit_build.h"

#define NO_ATTRIBUTE UINT32_MAX

/* A run and its code. */
struct sq_jit_run {
    struct exec_run exec;
    uint32_t mode;      /* HW_REG_MODE that it was compiled for */
    uint32_t attribute; /* one of those that it interpolates, or NO_ATTRIBUTE */
    bool changes_exec;
    struct sq_jit_inputs *inputs; /* NULL: none */
};

struct sq_jit_builder *amd_sq_jit_create(void)
{
    return calloc(1, sizeof(struct sq_jit_builder));
}

/* ---- compiling ---- */

static void begin_run(struct exec_lowering *lowering)
{
    amd_sq_jit_begin((struct sq_jit_builder *)lowering);
}

static const void *lower_instruction(struct exec_lowering *lowering, const void *uop, const void *limit)
{
    struct sq_jit_builder *b = (struct sq_jit_builder *)lowering;
    if (b->places.exec_is_written)
        return NULL;
    struct lane_program *program = &b->exec.program;
    const struct sq_uop *at = uop;
    const struct isa_inst *inst = at->inst;
    struct sq_jit_places before = b->places;
    uint32_t count = program->count;
    for (; at < (const struct sq_uop *)limit && at->inst == inst && !program->failed; at++) {
        b->uop = at;
        amd_sq_jit_lower_uop(b);
    }
    if (program->failed || b->places.mask_count > JIT_MAX_MASKS || program->count > JIT_MAX_INSTS - 64) {
        b->places = before;
        program->count = count;
        program->failed = false;
        return NULL;
    }
    return at;
}

/* A lane mask that a later one replaces is not stored. */
static void amd_sq_jit_drop_old_masks(struct sq_jit_builder *b)
{
    for (uint32_t i = 0; i < b->exec.program.count; i++) {
        struct jit_inst *inst = &b->exec.program.insts[i];
        if (inst->op == JIT_STORE_BITS && b->places.mask_stores[(inst->imm - offsetof(struct sq_wave, sgpr)) / 4] != i)
            inst->op = JIT_CONST;
    }
}

static bool end_run(struct exec_lowering *lowering, struct exec_run *exec_run)
{
    struct sq_jit_builder *b = (struct sq_jit_builder *)lowering;
    struct sq_jit_run *run = (struct sq_jit_run *)exec_run;
    const struct sq_jit_inputs *inputs = &b->places.inputs;
    exec_rows_end(&b->places.rows, &b->exec.program);
    amd_sq_jit_drop_old_masks(b);
    run->mode = b->wave->mode;
    run->changes_exec = b->places.exec_is_written;
    if ((inputs->view_count || inputs->attribute_count) && !run->inputs) {
        run->inputs = amd_sq_code_alloc(b->wave->code, sizeof(*inputs));
        if (!run->inputs)
            return false;
        *run->inputs = *inputs;
    }
    return true;
}

static unsigned variant_of(const struct sq_jit_run *run, struct sq_wave *wave)
{
    unsigned variant = wave->exec_full ? EXEC_ALL_ACTIVE : 0;
    if (run->attribute != NO_ATTRIBUTE && amd_sq_jit_is_one(wave, run->attribute))
        variant |= EXEC_ONE_INPUT;
    return variant;
}

static void compile_run(struct sq_jit_run *run, struct sq_wave *wave, unsigned variant)
{
    const struct jit_frame frame = {wave->lanes, offsetof(struct sq_wave, exec_lanes),
                                    (uint32_t)sizeof(struct sq_wave) + SQ_JIT_ROWS * LANES_MAX * 4};
    if (!run->exec.is_compiled || run->mode == wave->mode)
        exec_run_compile(&run->exec, amd_sq_code_exec(wave->code), &amd_sq_family, &amd_sq_code_jit(wave->code)->exec,
                         wave, &frame, variant);
}

static void enter_run(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct sq_jit_run *run = (struct sq_jit_run *)(uintptr_t)uop->target_va;
    const unsigned variant = variant_of(run, wave);
    if (exec_run_is_due(&run->exec, variant))
        compile_run(run, wave, variant);
    if (__builtin_expect(!run->exec.code[variant] || run->mode != wave->mode, 0) ||
        (run->inputs && !amd_sq_jit_bring(wave, run->inputs, variant & EXEC_ONE_INPUT))) {
        wave->next = run->exec.first;
        return;
    }
    run->exec.code[variant](wave);
    wave->next = run->exec.after[variant];
    if (run->changes_exec)
        sq_exec_changed(wave);
}

bool amd_sq_jit_is_head(const struct sq_uop *uop)
{
    return uop->run == enter_run;
}

/* ---- finding ---- */

static bool knows_uop(const void *uop)
{
    return amd_sq_jit_knows(uop);
}

static void head(void *uop, struct exec_run *run, const void *follows)
{
    (void)follows;
    *(struct sq_uop *)uop = (struct sq_uop){.run = enter_run, .target_va = (uintptr_t)run};
}

static void found(struct exec_run *exec_run)
{
    struct sq_jit_run *run = (struct sq_jit_run *)exec_run;
    const struct sq_uop *uop = exec_run->first, *limit = exec_run->limit;
    while (uop < limit && uop->run != amd_sq_uop_attribute)
        uop++;
    run->attribute = uop < limit ? uop->imm / 4 : NO_ATTRIBUTE;
}

static uint64_t address(const struct exec_lowering *lowering, const void *uop)
{
    (void)lowering;
    return ((const struct sq_uop *)uop)->next_va;
}

const struct exec_family amd_sq_family = {
    .uop_size_B = sizeof(struct sq_uop),
    .run_size_B = sizeof(struct sq_jit_run),
    .least_instructions = 3,
    .least_uops = UINT32_MAX,
    .most_instructions = UINT32_MAX,
    .knows = knows_uop,
    .head = head,
    .found = found,
    .begin = begin_run,
    .lower = lower_instruction,
    .end = end_run,
    .address = address,
};
_Static_assert(sizeof(struct sq_uop) <= EXEC_UOP_MAX_B, "a micro-operation");
