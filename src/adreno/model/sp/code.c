/* The code cache. Blocks and constants live until the cache is thrown away. */
#include "adreno/model/sp/code.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "adreno/model/coherence.h"
#include "adreno/model/sp/jit.h"
#include "adreno/model/sp/sp.h"
#include "adreno/model/sp/strict.h"
#include "util/arena.h"
#include "util/debug.h"
#include "util/map.h"

#define CONSTANTS_B ((size_t)16 << 20) /* address space only: pages appear as constants do */
#define MAX_BLOCK_INSTRUCTIONS 4096    /* a longer straight run is cut and chained */

struct sp_block {
    struct sp_block *older;
    uint64_t va;
    uint64_t program_va; /* micro-operations have program counters relative to it */
    uint32_t count;
    uint32_t lanes;
    uint64_t *words; /* the code it was decoded from */
    struct sp_uop *uops;
};

struct sp_code {
    const struct gpu_space *memory;
    struct arena arena;
    struct map64 blocks;    /* address, program and wave size, mixed -> struct sp_block */
    struct map64 constants; /* value and wave size -> place */
    struct sp_block *newest;
    char *constant_data;
    size_t constant_used_B;
    struct sp_jit *jit;
    bool is_strict;
};

struct sp_code *adreno_sp_code_create(const struct gpu_space *memory)
{
    struct sp_code *code = calloc(1, sizeof(*code));
    if (!code)
        return NULL;
    code->memory = memory;
    code->constant_data =
        mmap(NULL, CONSTANTS_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (code->constant_data == MAP_FAILED) {
        free(code);
        return NULL;
    }
    code->is_strict = debug_enabled(DEBUG_STRICT);
    code->jit = code->is_strict ? NULL : adreno_sp_jit_create();
    return code;
}

void *adreno_sp_code_alloc(struct sp_code *code, size_t size_B)
{
    return arena_alloc(&code->arena, size_B);
}

struct sp_jit *adreno_sp_code_jit(const struct sp_code *code)
{
    return code->jit;
}

static void forget_all(struct sp_code *code)
{
    for (struct sp_block *block = code->newest; block; block = block->older)
        free(block->uops);
    code->newest = NULL;
    map64_finish(&code->blocks);
    map64_finish(&code->constants);
    code->constant_used_B = 0;
    arena_reset(&code->arena);
    adreno_sp_jit_reset(code->jit);
}

void adreno_sp_code_destroy(struct sp_code *code)
{
    if (!code)
        return;
    forget_all(code);
    arena_finish(&code->arena);
    munmap(code->constant_data, CONSTANTS_B);
    adreno_sp_jit_destroy(code->jit);
    free(code);
}

const char *adreno_sp_code_constants(const struct sp_code *code)
{
    return code->constant_data;
}

void adreno_sp_code_validate(struct sp_code *code)
{
    for (struct sp_block *block = code->newest; block; block = block->older) {
        uint32_t size_B = block->count * 8;
        const void *now = gpu_space_whole(code->memory, block->va, size_B, GPU_PERM_READ);
        if (size_B && (!now || memcmp(now, block->words, size_B) != 0)) {
            forget_all(code);
            return;
        }
    }
}

/* ---- building ---- */

static struct sp_uop in_vain; /* written after a failure, never read */

struct sp_uop *adreno_sp_build(struct sp_builder *builder, sp_run_fn run)
{
    if (builder->count == builder->capacity) {
        uint32_t capacity = builder->capacity ? builder->capacity * 2 : 64;
        struct sp_uop *uops = realloc(builder->uops, capacity * sizeof(*uops));
        if (!uops) {
            builder->failed = true;
            return &in_vain;
        }
        builder->uops = uops;
        builder->capacity = capacity;
    }
    struct sp_uop *uop = &builder->uops[builder->count++];
    *uop = (struct sp_uop){.run = run, .inst = builder->inst, .pc = builder->pc};
    return uop;
}

sp_place adreno_sp_build_constant(struct sp_builder *builder, uint32_t value)
{
    struct sp_code *code = builder->code;
    uint64_t key = (uint64_t)builder->lanes << 32 | value;
    uint64_t *found = map64_get(&code->constants, key);
    if (found)
        return (sp_place)*found | SP_BASE_CONSTANTS;
    size_t size_B = builder->lanes * 4, at = code->constant_used_B;
    if (at + size_B > CONSTANTS_B || !map64_set(&code->constants, key, at)) {
        builder->failed = true;
        return SP_BASE_CONSTANTS;
    }
    lanes_splat((uint32_t *)(code->constant_data + at), value, builder->lanes);
    code->constant_used_B = at + size_B;
    return (sp_place)at | SP_BASE_CONSTANTS;
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

static void build_stop(struct sp_builder *builder, unsigned why, struct adreno_isa_inst *inst)
{
    builder->inst = inst;
    adreno_sp_build(builder, run_stop)->imm = why;
    builder->ends_block = true;
}

/* Decode from `pc` to the end of the block; the number of instructions in it. */
static uint32_t translate_block(struct sp_builder *builder, uint64_t program_va, uint32_t pc)
{
    for (uint32_t n = 0;; n++) {
        builder->pc = pc + n;
        builder->temps = 0;
        builder->inst = NULL;
        uint64_t word;
        if (!gpu_mem_read64(builder->code->memory, program_va + builder->pc * 8ull, &word)) {
            build_stop(builder, 0, NULL);
            return n;
        }
        if (builder->code->is_strict)
            word = adreno_sp_strict_patch(program_va + builder->pc * 8ull, word);
        struct adreno_isa_inst *inst = arena_new(&builder->code->arena, struct adreno_isa_inst);
        if (!inst) {
            builder->failed = true;
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
        const uint32_t first = builder->count;
        if (!adreno_sp_translate(builder, inst))
            build_stop(builder, 2, inst);
        adreno_sp_jit_take(builder, first);
        if (builder->ends_block || builder->failed)
            return n + 1;
    }
}

static struct sp_block *decode_block(struct sp_code *code, uint64_t program_va, uint32_t pc, uint32_t lanes)
{
    struct sp_builder builder = {.code = code, .lanes = lanes};
    uint64_t va = program_va + pc * 8ull;
    uint32_t count = translate_block(&builder, program_va, pc);
    struct sp_block *block = arena_new(&code->arena, struct sp_block);
    uint64_t *words = arena_alloc(&code->arena, count * 8 + 8);
    if (builder.failed || !block || !words || gpu_space_read(code->memory, va, words, count * 8) != count * 8) {
        free(builder.uops);
        return NULL;
    }
    adreno_sp_jit_finish(&builder);
    *block = (struct sp_block){code->newest, va, program_va, count, lanes, words, builder.uops};
    code->newest = block;
    return block;
}

const struct sp_uop *adreno_sp_code_enter(struct adreno_wave *wave, uint32_t pc)
{
    struct sp_code *code = wave->code;
    uint64_t program_va = wave->launch->program_va;
    uint64_t key = (program_va * 0x9e3779b97f4a7c15ull) ^ ((uint64_t)pc << 8 | wave->lanes);
    uint64_t *found = map64_get(&code->blocks, key);
    struct sp_block *block = found ? (struct sp_block *)(uintptr_t)*found : NULL;
    if (!block || block->program_va != program_va || block->va != program_va + pc * 8ull ||
        block->lanes != wave->lanes) {
        block = decode_block(code, program_va, pc, wave->lanes);
        if (block)
            ADRENO_READS(wave->sp->coherence, ADRENO_CLIENT_PROGRAM, block->va, block->count * 8ull);
        if (!block || !map64_set(&code->blocks, key, (uintptr_t)block)) {
            wave->state = ADRENO_WAVE_FAULTED;
            wave->fault = (struct adreno_wave_fault){.kind = ADRENO_FAULT_INSTRUCTION,
                                                     .pc = program_va + pc * 8ull,
                                                     .why = "no memory to decode the program"};
            return NULL;
        }
    }
    return block->uops;
}
