/* See code.h. Blocks and constants live until the cache is forgotten. */
#include "model/exec/code.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "model/exec/program.h"
#include "model/exec/run.h"
#include "util/debug.h"
#include "util/host_limits.h"

/* Constants have one base address for good, so their address space is reserved at once; memory comes in steps. */
#define CONSTANTS_B ((size_t)512 << 20)
#define FEW_CONSTANTS_B ((size_t)32 << 20) /* where addresses are limited */
#define CONSTANTS_STEP_B ((size_t)1 << 20)

/* A cache that holds more is emptied when no wave runs on it: decoding again what is still in use costs less than
 * memory that grows with every program that a process ever ran. */
#define KEPT_B ((size_t)64 << 20)

struct constant {
    struct constant *next; /* of the same key */
    uint64_t value;
    uint32_t shape;
    uint32_t offset_B;
};

bool exec_code_init(struct exec_code *code, const struct gpu_space *memory)
{
    *code = (struct exec_code){.memory = memory};
    code->constant_reserved_B = host_has_few_addresses() ? FEW_CONSTANTS_B : CONSTANTS_B;
    code->constant_data =
        mmap(NULL, code->constant_reserved_B, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (code->constant_data == MAP_FAILED)
        return false;
    if (!debug_enabled(DEBUG_NOJIT) && !debug_enabled(DEBUG_STRICT))
        code->jit = jit_create();
    return true;
}

/* Gives the memory of constants back, but for one step. */
static void release_constants(struct exec_code *code)
{
    code->constant_used_B = 0;
    if (code->constant_committed_B <= CONSTANTS_STEP_B)
        return;
    void *rest = mmap(code->constant_data + CONSTANTS_STEP_B, code->constant_committed_B - CONSTANTS_STEP_B, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (rest != MAP_FAILED)
        code->constant_committed_B = CONSTANTS_STEP_B;
}

static bool commit_constants(struct exec_code *code, size_t used_B)
{
    size_t committed_B = code->constant_committed_B ? code->constant_committed_B : CONSTANTS_STEP_B;
    while (committed_B < used_B)
        committed_B *= 2;
    if (used_B <= code->constant_committed_B)
        return true;
    if (committed_B > code->constant_reserved_B ||
        mprotect(code->constant_data, committed_B, PROT_READ | PROT_WRITE) != 0)
        return false;
    code->constant_committed_B = committed_B;
    return true;
}

static void forget_all(struct exec_code *code)
{
    for (struct exec_block *block = code->newest; block; block = block->older)
        free(block->uops);
    code->newest = NULL;
    code->joined = code->wholes = code->shuffles = NULL;
    code->epoch++;
    map64_finish(&code->blocks);
    map64_finish(&code->constants);
    release_constants(code);
    code->kept_B = 0;
    arena_reset(&code->arena);
    if (code->jit)
        jit_reset(code->jit);
}

void exec_code_finish(struct exec_code *code)
{
    forget_all(code);
    arena_finish(&code->arena);
    munmap(code->constant_data, code->constant_reserved_B);
    jit_destroy(code->jit);
}

void exec_code_trim(struct exec_code *code)
{
    const size_t most_constants_B = code->constant_reserved_B / 2 < KEPT_B ? code->constant_reserved_B / 2 : KEPT_B;
    if (code->kept_B > KEPT_B || code->constant_used_B > most_constants_B || (code->jit && jit_is_nearly_full(code->jit)))
        forget_all(code);
}

void exec_code_validate(struct exec_code *code)
{
    for (struct exec_block *block = code->newest; block; block = block->older) {
        const void *now = block->size_B ? gpu_space_whole(code->memory, block->va, block->size_B, GPU_PERM_READ) : NULL;
        if (block->size_B && (!now || memcmp(now, block->bytes, block->size_B) != 0)) {
            forget_all(code);
            return;
        }
    }
}

/* A block, or host code, has been made: work that a wave waits for, and that ends. */
static void count_progress(struct exec_code *code)
{
    if (code->progress)
        atomic_fetch_add_explicit(code->progress, 1, memory_order_relaxed);
}

jit_code exec_code_compile(struct exec_code *code, const struct lane_program *program, const struct jit_frame *frame,
                           bool is_full)
{
    const jit_code made = jit_compile(code->jit, program->insts, program->count, frame, is_full);
    count_progress(code);
    return made;
}

/* ---- building ---- */

void *exec_build(struct exec_builder *builder)
{
    const size_t size_B = builder->family->uop_size_B;
    if (builder->count == builder->capacity) {
        uint32_t capacity = builder->capacity ? builder->capacity * 2 : 64;
        void *uops = realloc(builder->uops, capacity * size_B);
        if (!uops) {
            builder->failed = true;
            return builder->in_vain;
        }
        builder->uops = uops;
        builder->capacity = capacity;
    }
    return memset((char *)builder->uops + builder->count++ * size_B, 0, size_B);
}

const void *exec_code_keep(struct exec_builder *builder, uint64_t va, uint64_t tag, uint32_t size_B)
{
    struct exec_code *code = builder->code;
    struct exec_block *block = builder->failed ? NULL : arena_new(&code->arena, struct exec_block);
    void *bytes = block ? arena_alloc(&code->arena, size_B + 1) : NULL;
    if (!bytes || gpu_space_read(code->memory, va, bytes, size_B) != size_B ||
        !map64_set(&code->blocks, exec_code_key(va, tag), (uintptr_t)block)) {
        free(builder->uops);
        return NULL;
    }
    exec_runs_finish(builder);
    *block = (struct exec_block){code->newest, va, tag, size_B, bytes, builder->uops};
    code->newest = block;
    count_progress(code);
    code->kept_B += sizeof(*block) + size_B + builder->capacity * builder->family->uop_size_B;
    return block->uops;
}

/* ---- constants ---- */

static struct constant *find_constant(const struct exec_code *code, uint64_t key)
{
    const uint64_t *found = map64_get(&code->constants, key);
    return found ? (struct constant *)(uintptr_t)*found : NULL;
}

static uint32_t constant(struct exec_builder *builder, uint64_t value, uint32_t shape, size_t size_B, bool *is_new_out)
{
    struct exec_code *code = builder->code;
    const uint64_t key = value * 0x9e3779b97f4a7c15ull ^ shape * 0xd6e8feb86659fd93ull;
    struct constant *first = find_constant(code, key);
    *is_new_out = false;
    for (const struct constant *c = first; c; c = c->next) {
        if (c->value == value && c->shape == shape)
            return c->offset_B;
    }
    struct constant *made = arena_new(&code->arena, struct constant);
    if (!made || !commit_constants(code, code->constant_used_B + size_B) || !map64_set(&code->constants, key, (uintptr_t)made)) {
        builder->failed = true;
        return 0;
    }
    *made = (struct constant){first, value, shape, (uint32_t)code->constant_used_B};
    code->constant_used_B += size_B;
    *is_new_out = true;
    return made->offset_B;
}

uint32_t exec_code_row(struct exec_builder *builder, uint64_t value, unsigned rows)
{
    bool is_new;
    const uint32_t row_B = builder->lanes * 4;
    const uint32_t offset_B = constant(builder, value, builder->lanes << 8 | rows, row_B * rows, &is_new);
    uint32_t *to = (uint32_t *)(builder->code->constant_data + offset_B);
    for (unsigned i = 0; i < rows * builder->lanes && is_new; i++)
        to[i] = i < 2 * builder->lanes ? (uint32_t)(value >> (32 * (i / builder->lanes))) : 0;
    return offset_B;
}

uint32_t exec_code_dwords(struct exec_builder *builder, uint64_t value)
{
    bool is_new;
    const uint32_t offset_B = constant(builder, value, 0, 64, &is_new); /* rows stay at whole vectors */
    if (is_new)
        memcpy(builder->code->constant_data + offset_B, &value, sizeof(value)); /* little-endian hosts */
    return offset_B;
}
