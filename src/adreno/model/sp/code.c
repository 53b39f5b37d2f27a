/* See code.h: how a block is decoded. */
#include "adreno/model/sp/code.h"

#include <stddef.h>
#include <stdlib.h>

#include "adreno/model/coherence.h"
#include "adreno/model/sp/jit.h"
#include "adreno/model/sp/sp.h"
#include "adreno/model/sp/strict.h"
#include "model/stat.h"
#include "util/debug.h"

#define MAX_BLOCK_INSTRUCTIONS 4096 /* a longer straight run is cut and chained */

struct sp_code {
    struct exec_code exec;
    struct sp_jit_builder *builder; /* of lane programs */
    struct sp_live_program *live;
    uint32_t live_epoch; /* of the shared part: what is older is gone */
    bool is_strict;
};

struct sp_code *adreno_sp_code_create(const struct gpu_space *memory)
{
    struct sp_code *code = calloc(1, sizeof(*code));
    if (!code || !exec_code_init(&code->exec, memory)) {
        free(code);
        return NULL;
    }
    code->is_strict = debug_enabled(DEBUG_STRICT);
    code->builder = code->exec.jit ? adreno_sp_jit_create() : NULL;
    if (code->exec.jit && !code->builder) {
        adreno_sp_code_destroy(code);
        return NULL;
    }
    return code;
}

void adreno_sp_code_destroy(struct sp_code *code)
{
    if (!code)
        return;
    exec_code_finish(&code->exec);
    free(code->builder);
    free(code);
}

struct exec_code *adreno_sp_code_exec(struct sp_code *code)
{
    return &code->exec;
}

struct sp_jit_builder *adreno_sp_code_jit(const struct sp_code *code)
{
    return code->builder;
}

struct sp_live_program **adreno_sp_code_live(struct sp_code *code)
{
    if (code->live_epoch != code->exec.epoch) {
        code->live_epoch = code->exec.epoch;
        code->live = NULL;
    }
    return &code->live;
}

const char *adreno_sp_code_constants(const struct sp_code *code)
{
    return code->exec.constant_data;
}

void adreno_sp_code_validate(struct sp_code *code)
{
    exec_code_validate(&code->exec);
}

void adreno_sp_code_trim(struct sp_code *code)
{
    exec_code_trim(&code->exec);
}

/* ---- building ---- */

struct sp_uop *adreno_sp_build(struct sp_builder *builder, sp_run_fn run)
{
    struct sp_uop *uop = exec_build(&builder->exec);
    uop->run = run;
    uop->inst = builder->inst;
    uop->pc = builder->pc;
    return uop;
}

sp_place adreno_sp_build_constant(struct sp_builder *builder, uint32_t value)
{
    return exec_code_row(&builder->exec, value, 1) | SP_BASE_CONSTANTS;
}

/* A stop that is only met if the wave gets there. */
static void run_stop(struct adreno_wave *wave, const struct sp_uop *uop)
{
    static const char *const why[] = {
        "the program runs into unmapped memory", "no such instruction",
        "an instruction that no public source explains, or that the model does not implement"};
    if (uop->imm == 0) {
        adreno_sp_memory_fault(wave, uop, wave->launch->program_va + uop->pc * 8ull, false);
        return;
    }
    adreno_sp_fault(wave, uop, ADRENO_FAULT_INSTRUCTION, "%s", why[uop->imm]);
}

bool adreno_sp_is_stop(const struct sp_uop *uop)
{
    return uop->run == run_stop;
}

static void build_stop(struct sp_builder *builder, unsigned why, struct adreno_isa_inst *inst)
{
    builder->inst = inst;
    adreno_sp_build(builder, run_stop)->imm = why;
    builder->exec.ends_block = true;
}

/* Decode from `pc` to the end of the block; the number of instructions in it. */
static uint32_t translate_block(struct sp_builder *builder, uint64_t program_va, uint32_t pc)
{
    for (uint32_t n = 0;; n++) {
        builder->pc = pc + n;
        builder->temps = 0;
        builder->inst = NULL;
        uint64_t word;
        if (!gpu_mem_read64(builder->exec.code->memory, program_va + builder->pc * 8ull, &word)) {
            build_stop(builder, 0, NULL);
            return n;
        }
        if (builder->code->is_strict)
            word = adreno_sp_strict_patch(program_va + builder->pc * 8ull, word);
        struct adreno_isa_inst *inst = arena_new(&builder->exec.code->arena, struct adreno_isa_inst);
        if (!inst) {
            builder->exec.failed = true;
            return n;
        }
        if (adreno_isa_decode(word, inst) != 0) {
            build_stop(builder, 1, NULL);
            return n + 1;
        }
        builder->inst = inst;
        if (inst->field[ADRENO_ISA_FIELD_JP]) {
            if (n) {
                adreno_sp_build_goto(builder, builder->pc);
                return n;
            }
            adreno_sp_build_join(builder);
        } else if (n == MAX_BLOCK_INSTRUCTIONS) {
            adreno_sp_build_goto(builder, builder->pc);
            return n;
        }
        if (builder->code->is_strict) {
            adreno_sp_strict_list(program_va + builder->pc * 8ull, word, inst);
            adreno_sp_build(builder, adreno_sp_strict_run);
        }
        const uint32_t first = builder->exec.count;
        if (!adreno_sp_translate(builder, inst))
            build_stop(builder, 2, inst);
        exec_runs_take(&builder->exec, first);
        if (builder->exec.ends_block || builder->exec.failed)
            return n + 1;
    }
}

static const struct sp_uop *decode_block(struct adreno_wave *wave, uint32_t pc, uint64_t tag)
{
    struct sp_code *code = wave->code;
    const uint64_t program_va = wave->launch->program_va;
    struct sp_builder builder = {.exec = {.code = &code->exec, .family = &adreno_sp_family, .lanes = wave->lanes},
                                 .code = code};
    const unsigned before = stat_enter_work(STAT_MAKING);
    const uint32_t count = translate_block(&builder, program_va, pc);
    stat_leave(before);
    ADRENO_READS(wave->sp->coherence, ADRENO_CLIENT_PROGRAM, program_va + pc * 8ull, count * 8ull);
    return exec_code_keep(&builder.exec, program_va + pc * 8ull, tag, count * 8);
}

const struct sp_uop *adreno_sp_code_enter(struct adreno_wave *wave, uint32_t pc)
{
    /* Micro-operations have program counters relative to the program's beginning. */
    const uint64_t program_va = wave->launch->program_va, tag = program_va << 8 | wave->lanes;
    const struct sp_uop *uops = exec_code_find(adreno_sp_code_exec(wave->code), program_va + pc * 8ull, tag);
    if (!uops)
        uops = decode_block(wave, pc, tag);
    if (!uops) {
        wave->state = ADRENO_WAVE_FAULTED;
        wave->fault = (struct adreno_wave_fault){
            .kind = ADRENO_FAULT_INSTRUCTION, .pc = program_va + pc * 8ull, .why = "no memory to decode the program"};
    }
    return uops;
}
