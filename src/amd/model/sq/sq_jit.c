/* Runs: found while a block is decoded, counted while it runs, compiled when they are worth it. */
#include "amd/model/sq/sq_jit.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "amd/model/sq/sq_hook.h"
#include "amd/model/sq/sq_jit_build.h"
#include "util/debug.h"
#include "util/file_limit.h"
#include "util/log.h"

enum {
    MIN_KERNELS = 3, /* fewer are not worth the cost of entry and exit */
    WORTH_IT = 48,   /* how often a run is reached before it is compiled: enough for the compilation to pay off */
};

/* One code for every way in which lanes may be alike; bits. */
enum variant {
    ALL_ACTIVE = 1,
    ONE_PRIMITIVE = 2, /* attributes are the same in all lanes */
    VARIANTS = 4,
};

#define NO_ATTRIBUTE UINT32_MAX

/* A run's place and its code. Indices while the block is decoded, afterwards pointers. */
struct sq_jit_run {
    struct sq_jit_run *older;
    uint32_t head_index, behind_index;
    const struct sq_uop *first, *limit; /* its micro-operations; once compiled, those that the code stands for */
    const struct sq_uop *behind;        /* where to go on */
    uint32_t mode;                      /* HW_REG_MODE that it was compiled for */
    uint32_t countdown[VARIANTS];       /* 0: tried */
    jit_code code[VARIANTS];
    uint32_t attribute; /* one of those that it interpolates, or NO_ATTRIBUTE */
    bool is_compiled;   /* in some variant */
    bool changes_exec;
    struct sq_jit_inputs *inputs; /* NULL: none */
};

struct sq_jit {
    struct jit *jit;
    struct sq_jit_builder builder;
};

struct sq_jit *amd_sq_jit_create(void)
{
    if (debug_enabled(DEBUG_NOJIT) || debug_enabled(DEBUG_STRICT))
        return NULL;
    struct sq_jit *jit = calloc(1, sizeof(*jit));
    if (jit)
        jit->jit = jit_create();
    if (jit && !jit->jit) {
        free(jit);
        return NULL;
    }
    return jit;
}

void amd_sq_jit_destroy(struct sq_jit *jit)
{
    if (jit)
        jit_destroy(jit->jit);
    free(jit);
}

void amd_sq_jit_reset(struct sq_jit *jit)
{
    if (jit)
        jit_reset(jit->jit);
}

uint32_t amd_sq_jit_used_B(const struct sq_jit *jit)
{
    return jit_size_B(jit->jit);
}

/* ---- compiling ---- */

static void enter(struct sq_wave *wave, const struct sq_uop *uop);

static bool lower_instruction(struct sq_jit_builder *b, const struct sq_uop **uop, const struct sq_uop *limit)
{
    const struct isa_inst *inst = (*uop)->inst;
    struct sq_jit_places before = b->places;
    uint32_t count = b->program.count;
    const struct sq_uop *at = *uop;
    for (; at < limit && at->inst == inst && !b->program.failed; at++) {
        b->uop = at;
        amd_sq_jit_lower_uop(b);
    }
    if (b->program.failed || b->places.mask_count > JIT_MAX_MASKS || b->program.count > JIT_MAX_INSTS - 64) {
        b->places = before;
        b->program.count = count;
        return false;
    }
    *uop = at;
    return true;
}

/* A result that a later one replaces is not stored. */
static void drop_old_stores(struct sq_jit_builder *b)
{
    uint32_t row_B = b->lanes * 4;
    for (uint32_t i = 0; i < b->program.count; i++) {
        struct jit_inst *inst = &b->program.insts[i];
        bool is_last = true;
        if (inst->op == JIT_STORE)
            is_last = b->places.row_stores[(inst->imm - offsetof(struct sq_wave, temp)) / row_B] == i;
        else if (inst->op == JIT_STORE_BITS)
            is_last = b->places.mask_stores[(inst->imm - offsetof(struct sq_wave, sgpr)) / 4] == i;
        if (!is_last)
            inst->op = JIT_CONST;
    }
}

static uint32_t attribute_in(const struct sq_uop *uop, const struct sq_uop *limit)
{
    while (uop < limit && uop->run != amd_sq_uop_attribute)
        uop++;
    return uop < limit ? uop->imm / 4 : NO_ATTRIBUTE;
}

static void count_down(struct sq_jit_run *run, uint32_t times)
{
    for (unsigned i = 0; i < VARIANTS; i++)
        run->countdown[i] = times;
}

/* What did not go into one piece of code is a run of its own. */
static void split(struct sq_jit_run *run, const struct sq_uop *at, struct sq_code *code)
{
    struct sq_jit_run *rest = amd_sq_code_alloc(code, sizeof(*rest));
    struct sq_uop *head = amd_sq_code_alloc(code, sizeof(*head));
    if (rest && head) {
        *rest = (struct sq_jit_run){.first = at, .limit = run->limit, .behind = run->behind};
        rest->attribute = attribute_in(rest->first, rest->limit);
        count_down(rest, 1);
        *head = (struct sq_uop){.run = enter, .target_va = (uintptr_t)rest};
    }
    run->behind = rest && head ? head : at;
    run->limit = at;
}

/* For a disassembler: objdump -D -b binary -m aarch64 FILE (or -m i386:x86-64). */
static void tell(const struct sq_jit_run *run, const struct sq_uop *end, uint32_t operations,
                 const struct sq_wave *wave, unsigned variant, uint32_t size_B)
{
    static _Atomic unsigned number;
    const char *folder = secure_getenv("TUFF_DUMP");
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/tuff-jit-%d-%u.bin", folder ? folder : ".", (int)getpid(),
             atomic_fetch_add(&number, 1));
    FILE *file = run->code[variant] ? fopen(path, "wb") : NULL;
    if (file) {
        const void *bytes;
        memcpy(&bytes, &run->code[variant], sizeof(bytes));
        struct file_limit limit = file_limit_enter();
        bool is_whole = fwrite(bytes, 1, size_B, file) == size_B;
        is_whole &= fclose(file) == 0;
        file_limit_leave(limit);
        if (!is_whole)
            LOG_ERROR("jit", "cannot write '%s': %s", path, strerror(errno));
    }
    LOG_INFO("jit", "wave%u with %s lanes%s, from %#llx: %u micro-operations, %u lane operations, %u bytes%s%s",
             wave->lanes, variant & ALL_ACTIVE ? "all" : "some", variant & ONE_PRIMITIVE ? " of one primitive" : "",
             (unsigned long long)run->first->next_va, (unsigned)(end - run->first), operations, size_B,
             file ? " in " : "", file ? path : "");
}

static void compile(struct sq_jit *jit, struct sq_jit_run *run, const struct sq_wave *wave, unsigned variant)
{
    struct sq_jit_builder *b = &jit->builder;
    amd_sq_jit_begin(b, wave);
    b->is_one = variant & ONE_PRIMITIVE;
    const struct sq_uop *uop = run->first;
    while (uop < run->limit && !b->places.exec_is_written && lower_instruction(b, &uop, run->limit))
        ;
    if (uop == run->first)
        return;
    if (uop < run->limit)
        split(run, uop, wave->code);
    drop_old_stores(b);
    const struct jit_frame frame = {wave->lanes, offsetof(struct sq_wave, exec_lanes),
                                    (uint32_t)sizeof(struct sq_wave) + SQ_JIT_ROWS * LANES_MAX * 4};
    run->mode = wave->mode;
    run->changes_exec = b->places.exec_is_written;
    const struct sq_jit_inputs *inputs = &b->places.inputs;
    if ((inputs->view_count || inputs->attribute_count) && !run->inputs) {
        run->inputs = amd_sq_code_alloc(wave->code, sizeof(*inputs));
        if (!run->inputs)
            return;
        *run->inputs = *inputs;
    }
    uint32_t size_B = jit_size_B(jit->jit);
    run->code[variant] = jit_compile(jit->jit, b->program.insts, b->program.count, &frame, variant & ALL_ACTIVE);
    run->is_compiled |= run->code[variant] != NULL;
    if (debug_enabled(DEBUG_JIT))
        tell(run, uop, b->program.count, wave, variant, jit_size_B(jit->jit) - size_B);
}

static unsigned variant_of(const struct sq_jit_run *run, struct sq_wave *wave)
{
    unsigned variant = wave->exec_full ? ALL_ACTIVE : 0;
    if (run->attribute != NO_ATTRIBUTE && amd_sq_jit_is_one(wave, run->attribute))
        variant |= ONE_PRIMITIVE;
    return variant;
}

static void enter(struct sq_wave *wave, const struct sq_uop *uop)
{
    struct sq_jit_run *run = (struct sq_jit_run *)(uintptr_t)uop->target_va;
    const unsigned variant = variant_of(run, wave);
    if (__builtin_expect(run->countdown[variant] != 0, 0) && --run->countdown[variant] == 0) {
        if (!run->is_compiled || run->mode == wave->mode)
            compile(amd_sq_code_jit(wave->code), run, wave, variant);
    }
    if (__builtin_expect(!run->code[variant] || run->mode != wave->mode, 0) ||
        (run->inputs && !amd_sq_jit_bring(wave, run->inputs, variant & ONE_PRIMITIVE))) {
        wave->next = run->first;
        return;
    }
    run->code[variant](wave);
    wave->next = run->behind;
    if (run->changes_exec)
        sq_exec_changed(wave);
}

/* ---- finding ---- */

static void close_run(struct sq_builder *builder)
{
    builder->run_kernels = 0;
    builder->run_has_head = false;
}

/* Put the counting micro-operation in front of a run that has become long enough. */
static void open_run(struct sq_builder *builder)
{
    struct sq_jit_run *run = amd_sq_code_alloc(builder->code, sizeof(*run));
    if (!run)
        return;
    uint32_t index = builder->run_first;
    amd_sq_build(builder, enter, NULL);
    if (builder->failed)
        return;
    struct sq_uop *head = &builder->uops[index];
    memmove(head + 1, head, (builder->count - 1 - index) * sizeof(*head));
    *run = (struct sq_jit_run){.older = builder->runs, .head_index = index};
    count_down(run, debug_enabled(DEBUG_JITNOW) ? 1 : WORTH_IT);
    *head = (struct sq_uop){.run = enter, .target_va = (uintptr_t)run};
    builder->runs = run;
    builder->run_has_head = true;
}

void amd_sq_jit_take(struct sq_builder *builder, uint32_t first)
{
    if (!amd_sq_code_jit(builder->code) || builder->failed)
        return;
    bool fits = builder->count > first;
    for (uint32_t i = first; i < builder->count && fits; i++)
        fits = amd_sq_jit_knows(&builder->uops[i]);
    if (!fits) {
        /* An instruction that does nothing here (a wait) leaves the run as it is. */
        if (builder->count > first)
            close_run(builder);
        return;
    }
    if (builder->run_kernels++ == 0)
        builder->run_first = first;
    if (builder->run_kernels == MIN_KERNELS)
        open_run(builder);
    if (builder->run_has_head)
        builder->runs->behind_index = builder->count;
}

void amd_sq_jit_finish(struct sq_builder *builder)
{
    for (struct sq_jit_run *run = builder->runs; run; run = run->older) {
        run->first = &builder->uops[run->head_index + 1];
        run->limit = run->behind = &builder->uops[run->behind_index];
        run->attribute = attribute_in(run->first, run->limit);
    }
}
