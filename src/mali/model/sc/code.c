/* See code.h: how a block is decoded. */
#include "mali/model/sc/code.h"

#include <stdlib.h>

#include "mali/model/sc/jit.h"
#include "model/stat.h"
#include "util/debug.h"

#define MAX_BLOCK_INSTRUCTIONS 4096 /* a longer straight run is cut and chained */

struct sc_code {
    struct exec_code exec;
    struct sc_jit_builder *jit;
};

struct sc_code *mali_sc_code_create(const struct gpu_space *memory)
{
    struct sc_code *code = calloc(1, sizeof(*code));
    if (!code || !exec_code_init(&code->exec, memory)) {
        free(code);
        return NULL;
    }
    code->jit = code->exec.jit ? mali_sc_jit_create() : NULL;
    if (code->exec.jit && !code->jit) {
        mali_sc_code_destroy(code);
        return NULL;
    }
    return code;
}

void mali_sc_code_destroy(struct sc_code *code)
{
    if (!code)
        return;
    exec_code_finish(&code->exec);
    free(code->jit);
    free(code);
}

void mali_sc_code_validate(struct sc_code *code)
{
    exec_code_validate(&code->exec);
}

void mali_sc_code_trim(struct sc_code *code)
{
    exec_code_trim(&code->exec);
}

const char *mali_sc_code_constants(const struct sc_code *code)
{
    return code->exec.constant_data;
}

struct exec_code *mali_sc_code_exec(struct sc_code *code)
{
    return &code->exec;
}

struct sc_jit_builder *mali_sc_code_jit(const struct sc_code *code)
{
    return code->jit;
}

/* ---- building ---- */

void *mali_sc_code_alloc(struct sc_builder *builder, size_t size_B)
{
    return exec_code_alloc(builder->exec.code, size_B);
}

struct sc_uop *mali_sc_build(struct sc_builder *builder, sc_run_fn run)
{
    struct sc_uop *uop = exec_build(&builder->exec);
    uop->run = run;
    uop->inst = builder->inst;
    uop->pc = builder->pc;
    return uop;
}

sc_place mali_sc_constant_place(struct sc_builder *builder, uint64_t value, unsigned rows)
{
    return exec_code_row(&builder->exec, value, rows) | SC_BASE_CONSTANTS;
}

/* A stop that is only met if the warp gets there. */
static void run_stop(struct mali_warp *warp, const struct sc_uop *uop)
{
    static const char *const why[] = {"the program runs into unmapped memory", "no such instruction",
                                      "an instruction that the model does not implement"};
    if (uop->imm == 0)
        mali_sc_memory_fault(warp, uop, uop->pc, false);
    else
        mali_sc_fault(warp, uop, MALI_FAULT_INSTRUCTION, "%s", why[uop->imm]);
}

static void build_stop(struct sc_builder *builder, unsigned why)
{
    mali_sc_build(builder, run_stop)->imm = why;
    builder->exec.ends_block = true;
}

/* Decode from `pc` to the end of the block; the number of instructions in it. */
static uint32_t translate_block(struct sc_builder *builder, uint64_t pc)
{
    for (uint32_t n = 0;; n++) {
        uint64_t word;
        builder->pc = pc + n * 8ull;
        builder->temps = 0;
        builder->inst = NULL;
        if (n == MAX_BLOCK_INSTRUCTIONS) {
            mali_sc_build_goto(builder, builder->pc);
            return n;
        }
        if (!gpu_mem_read64(builder->exec.code->memory, builder->pc, &word)) {
            build_stop(builder, 0);
            return n;
        }
        struct mali_isa_inst *inst = exec_code_alloc(builder->exec.code, sizeof(*inst));
        if (!inst) {
            builder->exec.failed = true;
            return n;
        }
        if (mali_isa_decode(word, inst) != 0) {
            build_stop(builder, 1);
            return n + 1;
        }
        builder->inst = inst;
        const uint32_t first = builder->exec.count;
        if (!mali_sc_translate(builder))
            build_stop(builder, 2);
        exec_runs_take(&builder->exec, first);
        if (builder->exec.ends_block || builder->exec.failed)
            return n + 1;
    }
}

const struct sc_uop *mali_sc_code_enter(struct mali_warp *warp, uint64_t pc)
{
    struct exec_code *code = &warp->code->exec;
    const uint64_t tag = warp->launch->has_ftz; /* host code is made for a float mode */
    const struct sc_uop *uops = exec_code_find(code, pc, tag);
    if (uops)
        return uops;
    struct sc_builder builder = {.exec = {.code = code, .family = &mali_sc_family, .lanes = MALI_ROW_LANES},
                                 .is_strict = warp->strict != NULL,
                                 .is_coherent = debug_enabled(DEBUG_COHERENCE)};
    const unsigned before = stat_enter_work(STAT_MAKING);
    const uint32_t count = translate_block(&builder, pc);
    stat_leave(before);
    uops = exec_code_keep(&builder.exec, pc, tag, count * 8);
    if (!uops) {
        warp->state = MALI_WARP_FAULTED;
        warp->fault = (struct mali_warp_fault){
            .kind = MALI_FAULT_INSTRUCTION, .pc = pc, .why = "no memory to decode the program"};
    }
    return uops;
}
