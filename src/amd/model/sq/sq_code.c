/* See sq_code.h: how a block is decoded. */
#include "amd/model/sq/sq_code.h"

#include <stddef.h>
#include <stdlib.h>

#include "amd/model/sq/sq_control.h"
#include "amd/model/sq/sq_jit.h"
#include "amd/model/sq/sq_move.h"
#include "amd/model/sq/sq_strict.h"
#include "amd/model/sq/sq_texture.h"
#include "amd/model/sq/sq_uops.h"
#include "model/stat.h"
#include "util/debug.h"

#define MAX_BLOCK_INSTRUCTIONS 4096 /* a longer straight run is cut and chained */

struct sq_code {
    struct exec_code exec;
    struct tc_cache *textures;      /* made when they are first needed */
    struct sq_jit_builder *builder; /* of lane programs */
    struct sq_moves moves;
    bool strict;
};

struct sq_code *amd_sq_code_create(const struct gpu_space *memory)
{
    struct sq_code *code = calloc(1, sizeof(*code));
    if (!code || !exec_code_init(&code->exec, memory)) {
        free(code);
        return NULL;
    }
    code->strict = debug_enabled(DEBUG_STRICT);
    if (debug_enabled(DEBUG_COHERENCE)) { /* each access of a lane is looked at */
        jit_destroy(code->exec.jit);
        code->exec.jit = NULL;
    }
    code->builder = code->exec.jit ? amd_sq_jit_create() : NULL;
    if (code->exec.jit && !code->builder) {
        amd_sq_code_destroy(code);
        return NULL;
    }
    return code;
}

struct exec_code *amd_sq_code_exec(struct sq_code *code)
{
    return &code->exec;
}

struct sq_jit_builder *amd_sq_code_jit(const struct sq_code *code)
{
    return code->builder;
}

void amd_sq_code_destroy(struct sq_code *code)
{
    if (!code)
        return;
    exec_code_finish(&code->exec);
    amd_tc_cache_destroy(code->textures);
    free(code->builder);
    amd_sq_moves_finish(&code->moves);
    free(code);
}

struct sq_moves *amd_sq_code_moves(struct sq_code *code)
{
    return &code->moves;
}

struct tc_cache *amd_sq_code_textures(struct sq_code *code, uint32_t gb_addr_config)
{
    if (__builtin_expect(!code->textures || amd_tc_cache_config(code->textures) != gb_addr_config, 0)) {
        amd_tc_cache_destroy(code->textures);
        code->textures = amd_tc_cache_create(gb_addr_config);
    }
    return code->textures;
}

const char *amd_sq_code_constants(const struct sq_code *code)
{
    return code->exec.constant_data;
}

void amd_sq_code_validate(struct sq_code *code)
{
    exec_code_validate(&code->exec);
}

void amd_sq_code_trim(struct sq_code *code)
{
    exec_code_trim(&code->exec);
}

void *amd_sq_code_alloc(struct sq_code *code, size_t size_B)
{
    return exec_code_alloc(&code->exec, size_B);
}

/* ---- building ---- */

struct sq_builder amd_sq_builder(struct sq_code *code, uint32_t lanes, uint32_t shared_vgpr)
{
    return (struct sq_builder){.exec = {.code = &code->exec, .family = &amd_sq_family, .lanes = lanes},
                               .code = code,
                               .shared_vgpr = shared_vgpr};
}

struct sq_uop *amd_sq_build(struct sq_builder *builder, sq_run_fn run, const struct isa_inst *inst)
{
    struct sq_uop *uop = exec_build(&builder->exec);
    uop->run = run;
    uop->inst = inst;
    uop->next_va = builder->next_va;
    return uop;
}

sq_place amd_sq_build_lanes_constant(struct sq_builder *builder, uint64_t value, unsigned dwords)
{
    return exec_code_row(&builder->exec, value, dwords) | SQ_BASE_CONSTANTS;
}

sq_place amd_sq_build_scalar_constant(struct sq_builder *builder, uint64_t value)
{
    return exec_code_dwords(&builder->exec, value) | SQ_BASE_CONSTANTS;
}

/* Words of a program, from one page or across two. */
static uint32_t fetch_words(const struct gpu_space *memory, uint64_t va, uint32_t words[ISA_MAX_DW])
{
    uint32_t count = 0;
    while (count < ISA_MAX_DW && gpu_mem_read32(memory, va + count * 4, &words[count]))
        count++;
    return count;
}

static void stop_at(struct sq_builder *builder, const char *why, enum sq_fault_kind kind)
{
    struct sq_uop *uop = amd_sq_build(builder, amd_sq_control_stop, NULL);
    uop->imm = kind;
    uop->target_va = (uint64_t)(uintptr_t)why;
}

/* A write to a shared VGPR is seen by the other half. */
static void share_results(struct sq_builder *builder, const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(inst->op);
    for (unsigned i = 0; i < info->dst_count && builder->shared_vgpr; i++) {
        const struct isa_operand *d = &inst->operands[i];
        if (d->kind != ISA_OPERAND_VGPR || d->value + d->count <= builder->shared_vgpr)
            continue;
        uint32_t first = d->value > builder->shared_vgpr ? d->value : builder->shared_vgpr;
        struct sq_uop *uop = amd_sq_build(builder, amd_sq_uop_share, inst);
        uop->d = (sq_place)(offsetof(struct sq_wave, vgpr) + first * builder->exec.lanes * 4);
        uop->imm = d->value + d->count - first;
    }
}

/* Decode from `va` to the end of the block. What cannot be decoded becomes a stop that is only met if the wave gets
 * there. */
static uint32_t translate_block(struct sq_builder *builder, uint64_t va)
{
    uint64_t at = va;
    for (uint32_t n = 0; !builder->exec.ends_block && !builder->exec.failed; n++) {
        builder->next_va = at;
        uint32_t words[ISA_MAX_DW];
        uint32_t count = fetch_words(builder->exec.code->memory, at, words);
        if (builder->code->strict)
            amd_sq_strict_patch(at, words, count);
        struct isa_inst *inst = arena_new(&builder->exec.code->arena, struct isa_inst);
        if (!inst) {
            builder->exec.failed = true;
            break;
        }
        if (n == MAX_BLOCK_INSTRUCTIONS) {
            amd_sq_build_goto(builder, at);
            break;
        }
        int size_dw = count ? amd_isa_decode(ISA_GFX10_3, words, count, inst) : ISA_ERROR_TRUNCATED;
        if (size_dw < 0) {
            stop_at(builder, count ? "no such instruction" : "the program runs into unmapped memory",
                    count ? SQ_FAULT_INSTRUCTION : SQ_FAULT_MEMORY);
            at += count ? 4 : 0;
            break;
        }
        at += (uint32_t)size_dw * 4;
        builder->next_va = at;
        builder->temps = 0;
        if (builder->code->strict) {
            amd_sq_strict_list(at - inst->size_dw * 4u, words, builder->exec.lanes, inst);
            builder->exec.failed |= !amd_sq_strict_before(builder, inst);
        }
        uint32_t first = builder->exec.count;
        if (!amd_sq_translate(builder, inst)) {
            stop_at(builder, "an instruction that the model does not implement", SQ_FAULT_INSTRUCTION);
            if (!builder->exec.failed) /* without memory there is none to name it */
                amd_sq_uops(builder)[builder->exec.count - 1].inst = inst;
            break;
        }
        share_results(builder, inst);
        exec_runs_take(&builder->exec, first);
        if (builder->code->strict)
            amd_sq_strict_behind(builder, inst, first);
    }
    return (uint32_t)(at - va) / 4;
}

static const struct sq_uop *decode_block(struct sq_code *code, uint64_t va, uint64_t tag, const struct sq_wave *wave)
{
    struct sq_builder builder = amd_sq_builder(code, wave->lanes, wave->shared_vgpr);
    const unsigned before = stat_enter_work(STAT_MAKING);
    uint32_t size_dw = translate_block(&builder, va);
    amd_sq_move_find(&builder);
    const struct sq_uop *uops = exec_code_keep(&builder.exec, va, tag, size_dw * 4);
    stat_leave(before);
    return uops;
}

const struct sq_uop *amd_sq_code_enter(struct sq_wave *wave, uint64_t pc)
{
    struct sq_code *code = wave->code;
    const uint64_t tag = (wave->lanes == 64) | (wave->shared_vgpr ? 2 : 0);
    const struct sq_uop *uops = exec_code_find(&code->exec, pc, tag);
    if (!uops) {
        uops = pc & 3 ? NULL : decode_block(code, pc, tag, wave);
        if (!uops) {
            wave->state = SQ_FAULTED;
            wave->fault = (struct sq_fault){.kind = SQ_FAULT_INSTRUCTION,
                                            .pc = pc,
                                            .why = pc & 3 ? "a program counter that is not aligned"
                                                          : "no memory to decode the program"};
        }
    }
    return uops;
}
