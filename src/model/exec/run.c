/* See run.h. */
#include "model/exec/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/stat.h"
#include "util/debug.h"
#include "util/file_limit.h"
#include "util/log.h"

#define WORTH_IT 48 /* how often a run is reached before it is compiled: enough for the compilation to pay off */

static void *uop_at(const struct exec_builder *builder, uint32_t index)
{
    return (char *)builder->uops + (size_t)index * builder->family->uop_size_B;
}

/* ---- finding ---- */

static void count_down(struct exec_run *run, uint32_t times)
{
    for (unsigned i = 0; i < EXEC_VARIANTS; i++)
        run->countdown[i] = times;
}

static struct exec_run *new_run(struct exec_code *code, const struct exec_family *family)
{
    struct exec_run *run = exec_code_alloc(code, family->run_size_B);
    return run ? memset(run, 0, family->run_size_B) : NULL;
}

/* Put the counting micro-operation before a run that has become long enough. */
static void open_run(struct exec_builder *builder)
{
    const struct exec_family *family = builder->family;
    struct exec_run *run = new_run(builder->code, family);
    if (!run)
        return;
    const uint32_t index = builder->run_first;
    exec_build(builder);
    if (builder->failed)
        return;
    void *head = uop_at(builder, index), *next = uop_at(builder, index + 1);
    memmove(next, head, (size_t)(builder->count - 1 - index) * family->uop_size_B);
    memset(head, 0, family->uop_size_B);
    run->older = builder->runs;
    run->head_index = index;
    count_down(run, debug_enabled(DEBUG_JITNOW) ? 1 : WORTH_IT);
    family->head(head, run, next);
    builder->runs = run;
    builder->run_is_open = true;
}

void exec_runs_take(struct exec_builder *builder, uint32_t first)
{
    if (!builder->code->jit || builder->failed || builder->count == first)
        return;
    bool fits = builder->run_length <= builder->family->most_instructions;
    for (uint32_t i = first; i < builder->count && fits; i++)
        fits = builder->family->knows(uop_at(builder, i));
    if (!fits) {
        builder->run_length = 0;
        builder->run_is_open = false;
        return;
    }
    if (builder->run_length++ == 0)
        builder->run_first = first;
    if (!builder->run_is_open && (builder->run_length >= builder->family->least_instructions ||
                                  builder->count - builder->run_first >= builder->family->least_uops))
        open_run(builder);
    if (builder->run_is_open)
        builder->runs->limit_index = builder->count;
}

void exec_runs_finish(struct exec_builder *builder)
{
    for (struct exec_run *run = builder->runs; run; run = run->older) {
        run->first = uop_at(builder, run->head_index + 1);
        run->limit = uop_at(builder, run->limit_index);
        if (builder->family->found)
            builder->family->found(run);
    }
}

/* ---- compiling ---- */

/* The first instruction from `at` on that can be lowered at all. */
static const char *next_lowered(const struct exec_run *run, const void *at, const struct exec_family *family,
                                struct exec_lowering *lowering)
{
    const char *uop = at;
    for (; family->skip && uop < (const char *)run->limit; uop = family->skip(uop, run->limit)) {
        family->begin(lowering);
        if (family->lower(lowering, uop, run->limit))
            break;
    }
    return uop;
}

/* Operations that did not go into one piece of code are a run of their own, after copies of those that go into none:
 * where the code goes on. */
static const void *split_run(const struct exec_run *run, const void *at, struct exec_code *code,
                             const struct exec_family *family, struct exec_lowering *lowering)
{
    const char *next = next_lowered(run, at, family, lowering);
    if (next >= (const char *)run->limit)
        return at;
    const size_t copied_B = (size_t)(next - (const char *)at);
    struct exec_run *rest = new_run(code, family);
    char *uops = exec_code_alloc(code, copied_B + family->uop_size_B);
    if (!rest || !uops)
        return at;
    rest->first = next;
    rest->limit = run->limit;
    count_down(rest, 1);
    if (family->found)
        family->found(rest);
    memcpy(uops, at, copied_B);
    memset(uops + copied_B, 0, family->uop_size_B);
    family->head(uops + copied_B, rest, next);
    return uops;
}

/* Both kinds of code. For a disassembler: objdump -D -b binary -m aarch64 FILE (or -m i386:x86-64). */
void exec_report(const struct exec_report *report)
{
    static _Atomic unsigned number;
    const char *folder = secure_getenv("TUFF_DUMP");
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/tuff-jit-%d-%u.bin", folder ? folder : ".", (int)getpid(), number++);
    FILE *file = report->code ? fopen(path, "wb") : NULL;
    if (file) {
        const void *bytes;
        memcpy(&bytes, &report->code, sizeof(bytes));
        struct file_limit limit = file_limit_enter();
        bool is_whole = fwrite(bytes, 1, report->size_B, file) == report->size_B;
        is_whole &= fclose(file) == 0;
        file_limit_leave(limit);
        if (!is_whole)
            LOG_ERROR("jit", "cannot write '%s': %s", path, strerror(errno));
    }
    LOG_INFO("jit", "%u lanes, %s active%s, %s from %#llx: %u %s, %u lane operations, %u bytes%s%s", report->lanes,
             report->variant & EXEC_ALL_ACTIVE ? "all" : "some",
             report->variant & EXEC_ONE_INPUT ? ", one primitive" : "", report->is_loop ? "loop" : "run",
             (unsigned long long)report->va, report->count, report->is_loop ? "ways out" : "micro-operations",
             report->operations, report->size_B, file ? " in " : "", file ? path : "");
}

void exec_run_compile(struct exec_run *run, struct exec_code *code, const struct exec_family *family,
                      struct exec_lowering *lowering, const void *wave, const struct jit_frame *frame, unsigned variant)
{
    const unsigned before = stat_enter_work(STAT_MAKING);
    lowering->wave = wave;
    lowering->variant = variant;
    family->begin(lowering);
    const char *uop = run->first, *const limit = run->limit;
    while (uop < limit) {
        const char *next = family->lower(lowering, uop, limit);
        if (!next)
            break;
        uop = next;
    }
    if (uop == (const char *)run->first && family->skip && !run->plain)
        run->plain = split_run(run, uop, code, family, lowering);
    if (uop == (const char *)run->first || !family->end(lowering, run) || lowering->program.failed) {
        stat_leave(before);
        return;
    }
    run->end[variant] = uop;
    const uint32_t size_B = jit_size_B(code->jit);
    run->code[variant] = exec_code_compile(code, &lowering->program, frame, variant & EXEC_ALL_ACTIVE);
    run->is_compiled |= run->code[variant] != NULL;
    code->counts.runs += run->code[variant] != NULL;
    if (debug_enabled(DEBUG_JIT))
        exec_report(&(struct exec_report){
            .code = run->code[variant],
            .size_B = jit_size_B(code->jit) - size_B,
            .va = family->address(lowering, run->first),
            .lanes = frame->lanes,
            .variant = variant,
            .count = (uint32_t)(uop - (const char *)run->first) / family->uop_size_B,
            .operations = lowering->program.count,
        });
    run->after[variant] = uop < limit ? split_run(run, uop, code, family, lowering) : uop;
    stat_leave(before);
}
