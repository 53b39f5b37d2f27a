/* The code cache. Blocks and constants live until the cache is thrown away; constants are shared by all blocks of a
 * wave size. */
#include "amd/model/sq/sq_code.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "amd/model/sq/sq_control.h"
#include "amd/model/sq/sq_jit.h"
#include "amd/model/sq/sq_strict.h"
#include "amd/model/sq/sq_uops.h"
#include "amd/model/texture/tc_image.h"
#include "util/arena.h"
#include "util/debug.h"
#include "util/map.h"

#define CONSTANTS_B ((size_t)16 << 20) /* address space only: pages appear as constants do */
#define MAX_BLOCK_INSTRUCTIONS 4096    /* a longer straight run is cut and chained */

struct sq_block {
    struct sq_block *older;
    uint64_t va;
    uint32_t size_dw;
    uint32_t *words; /* the code it was decoded from */
    struct sq_uop *uops;
};

struct sq_code {
    const struct gpu_space *memory;
    struct arena arena;
    struct map64
        blocks; /* address, and in its lowest bits the wave size and whether VGPRs are shared -> struct sq_block */
    struct map64 constants; /* value and shape -> place */
    struct sq_block *newest;
    char *constant_data;
    size_t constant_used_B;
    struct tc_cache *textures; /* made when they are first needed */
    struct sq_jit *jit;
    bool strict;
};

struct sq_code *amd_sq_code_create(const struct gpu_space *memory)
{
    struct sq_code *code = calloc(1, sizeof(*code));
    if (!code)
        return NULL;
    code->memory = memory;
    code->strict = debug_enabled(DEBUG_STRICT);
    code->constant_data =
        mmap(NULL, CONSTANTS_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (code->constant_data == MAP_FAILED) {
        free(code);
        return NULL;
    }
    code->jit = amd_sq_jit_create();
    return code;
}

struct sq_jit *amd_sq_code_jit(const struct sq_code *code)
{
    return code->jit;
}

static void forget_all(struct sq_code *code)
{
    for (struct sq_block *block = code->newest; block; block = block->older)
        free(block->uops);
    code->newest = NULL;
    map64_finish(&code->blocks);
    map64_finish(&code->constants);
    code->constant_used_B = 0;
    arena_reset(&code->arena);
    amd_sq_jit_reset(code->jit);
}

void amd_sq_code_destroy(struct sq_code *code)
{
    if (!code)
        return;
    forget_all(code);
    arena_finish(&code->arena);
    munmap(code->constant_data, CONSTANTS_B);
    amd_tc_cache_destroy(code->textures);
    amd_sq_jit_destroy(code->jit);
    free(code);
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
    return code->constant_data;
}

void amd_sq_code_validate(struct sq_code *code)
{
    for (struct sq_block *block = code->newest; block; block = block->older) {
        uint32_t size_B = block->size_dw * 4;
        const void *now = gpu_space_pointer(code->memory, block->va, size_B, GPU_PERM_READ);
        if (!now || memcmp(now, block->words, size_B) != 0) {
            forget_all(code);
            return;
        }
    }
}

void *amd_sq_code_alloc(struct sq_code *code, size_t size_B)
{
    return arena_alloc(&code->arena, size_B);
}

/* ---- building ---- */

static struct sq_uop in_vain; /* written after a failure, never read */

struct sq_uop *amd_sq_build(struct sq_builder *builder, sq_run_fn run, const struct isa_inst *inst)
{
    if (builder->count == builder->capacity) {
        uint32_t capacity = builder->capacity ? builder->capacity * 2 : 64;
        struct sq_uop *uops = realloc(builder->uops, capacity * sizeof(*uops));
        if (!uops) {
            builder->failed = true;
            return &in_vain;
        }
        builder->uops = uops;
        builder->capacity = capacity;
    }
    struct sq_uop *uop = &builder->uops[builder->count++];
    *uop = (struct sq_uop){.run = run, .inst = inst, .next_va = builder->next_va};
    return uop;
}

static sq_place find_constant(struct sq_builder *builder, uint64_t value, unsigned shape, size_t size_B,
                              bool *is_new_out)
{
    struct sq_code *code = builder->code;
    /* The shape is mixed into the key; the value stored beside the place resolves collisions. */
    uint64_t key = value * 0x9e3779b97f4a7c15ull ^ shape * 0xd6e8feb86659fd93ull;
    uint64_t *found = map64_get(&code->constants, key);
    *is_new_out = false;
    if (found) {
        uint32_t *header = (uint32_t *)(code->constant_data + *found) - 4;
        if (sq_read64(header) == value && header[2] == shape)
            return (sq_place)*found | SQ_BASE_CONSTANTS;
    }
    if (code->constant_used_B + size_B + 16 > CONSTANTS_B) {
        builder->failed = true;
        return SQ_BASE_CONSTANTS;
    }
    uint32_t *header = (uint32_t *)(code->constant_data + code->constant_used_B);
    sq_write64(header, value);
    header[2] = shape;
    uint64_t place = code->constant_used_B + 16;
    code->constant_used_B = place + size_B;
    if (!found)
        map64_set(&code->constants, key, place);
    *is_new_out = true;
    return (sq_place)place | SQ_BASE_CONSTANTS;
}

sq_place amd_sq_build_lanes_constant(struct sq_builder *builder, uint64_t value, unsigned dwords)
{
    bool is_new;
    sq_place place = find_constant(builder, value, builder->lanes + dwords, builder->lanes * 4 * dwords, &is_new);
    uint32_t *rows = (uint32_t *)(builder->code->constant_data + (place & ~1u));
    for (unsigned row = 0; row < dwords && is_new; row++)
        lanes_splat(rows + row * builder->lanes, row < 2 ? (uint32_t)(value >> (32 * row)) : 0, builder->lanes);
    return place;
}

sq_place amd_sq_build_scalar_constant(struct sq_builder *builder, uint64_t value)
{
    bool is_new;
    sq_place place = find_constant(builder, value, 1, 16, &is_new);
    if (is_new)
        sq_write64((uint32_t *)(builder->code->constant_data + (place & ~1u)), value);
    return place;
}

/* Words of a program, from one page or across two. */
static uint32_t fetch(const struct gpu_space *memory, uint64_t va, uint32_t words[ISA_MAX_DW])
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

/* What is written to a shared VGPR is seen by the other half. */
static void share_results(struct sq_builder *builder, const struct isa_inst *inst)
{
    const struct isa_op_info *info = isa_info(inst->op);
    for (unsigned i = 0; i < info->dst_count && builder->shared_vgpr; i++) {
        const struct isa_operand *d = &inst->operands[i];
        if (d->kind != ISA_OPERAND_VGPR || d->value + d->count <= builder->shared_vgpr)
            continue;
        uint32_t first = d->value > builder->shared_vgpr ? d->value : builder->shared_vgpr;
        struct sq_uop *uop = amd_sq_build(builder, amd_sq_uop_share, inst);
        uop->d = (sq_place)(offsetof(struct sq_wave, vgpr) + first * builder->lanes * 4);
        uop->imm = d->value + d->count - first;
    }
}

/* Decode from `va` to the end of the block. What cannot be decoded becomes a stop that is only met if the wave gets
 * there. */
static uint32_t translate_block(struct sq_builder *builder, uint64_t va)
{
    uint64_t at = va;
    for (uint32_t n = 0; !builder->ends_block && !builder->failed; n++) {
        builder->next_va = at;
        uint32_t words[ISA_MAX_DW];
        uint32_t count = fetch(builder->code->memory, at, words);
        if (builder->code->strict)
            amd_sq_strict_patch(at, words, count);
        struct isa_inst *inst = arena_new(&builder->code->arena, struct isa_inst);
        if (!inst) {
            builder->failed = true;
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
            amd_sq_strict_list(at - inst->size_dw * 4u, words, builder->lanes, inst);
            builder->failed |= !amd_sq_strict_before(builder, inst);
        }
        uint32_t first = builder->count;
        if (!amd_sq_translate(builder, inst)) {
            stop_at(builder, "an instruction that the model does not implement", SQ_FAULT_INSTRUCTION);
            builder->uops[builder->count - 1].inst = inst;
            break;
        }
        share_results(builder, inst);
        amd_sq_jit_take(builder, first);
        if (builder->code->strict)
            amd_sq_strict_behind(builder, inst, first);
    }
    return (uint32_t)(at - va) / 4;
}

static struct sq_block *decode_block(struct sq_code *code, uint64_t va, const struct sq_wave *wave)
{
    struct sq_builder builder = {.code = code, .lanes = wave->lanes, .shared_vgpr = wave->shared_vgpr};
    uint32_t size_dw = translate_block(&builder, va);
    struct sq_block *block = arena_new(&code->arena, struct sq_block);
    uint32_t *words = arena_alloc(&code->arena, size_dw * 4);
    if (builder.failed || !block || !words || gpu_space_read(code->memory, va, words, size_dw * 4) != size_dw * 4) {
        free(builder.uops);
        return NULL;
    }
    amd_sq_jit_finish(&builder);
    *block = (struct sq_block){code->newest, va, size_dw, words, builder.uops};
    code->newest = block;
    return block;
}

const struct sq_uop *amd_sq_code_enter(struct sq_wave *wave, uint64_t pc)
{
    struct sq_code *code = wave->code;
    uint64_t key = pc | (wave->lanes == 64) | (wave->shared_vgpr ? 2 : 0);
    uint64_t *found = map64_get(&code->blocks, key);
    struct sq_block *block = found ? (struct sq_block *)(uintptr_t)*found : NULL;
    if (!block) {
        block = pc & 3 ? NULL : decode_block(code, pc, wave);
        if (!block || !map64_set(&code->blocks, key, (uintptr_t)block)) {
            wave->state = SQ_FAULTED;
            wave->fault = (struct sq_fault){.kind = SQ_FAULT_INSTRUCTION,
                                            .pc = pc,
                                            .why = pc & 3 ? "a program counter that is not aligned"
                                                          : "no memory to decode the program"};
            return NULL;
        }
    }
    return block->uops;
}
