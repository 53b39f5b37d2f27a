/* See code.h. */
#include "mali/model/sc/code.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "util/arena.h"
#include "util/map.h"

#define MAX_BLOCK_INSTRUCTIONS 4096 /* a longer straight run is cut and chained */

#define CONSTANTS_B ((size_t)16 << 20) /* address space only: pages appear as constants do */

struct block {
    struct block *older;
    uint64_t va;
    uint32_t size_B;
    void *bytes; /* the code it was decoded from */
    struct sc_uop *uops;
};

struct constant {
    struct constant *next; /* of the same key */
    uint64_t value;
    uint32_t rows;
    uint32_t offset_B;
};

struct sc_code {
    const struct gpu_space *memory;
    struct arena arena;
    struct map64 blocks;    /* address -> struct block */
    struct map64 constants; /* value and rows, mixed -> struct constant */
    struct block *newest;
    char *constant_data;
    size_t constant_used_B;
};

struct sc_code *mali_sc_code_create(const struct gpu_space *memory)
{
    struct sc_code *code = calloc(1, sizeof(*code));
    if (!code)
        return NULL;
    code->memory = memory;
    code->constant_data =
        mmap(NULL, CONSTANTS_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (code->constant_data == MAP_FAILED) {
        free(code);
        return NULL;
    }
    return code;
}

static void forget_all(struct sc_code *code)
{
    for (struct block *block = code->newest; block; block = block->older)
        free(block->uops);
    code->newest = NULL;
    map64_finish(&code->blocks);
    map64_finish(&code->constants);
    code->constant_used_B = 0;
    arena_reset(&code->arena);
}

void mali_sc_code_destroy(struct sc_code *code)
{
    if (!code)
        return;
    forget_all(code);
    arena_finish(&code->arena);
    munmap(code->constant_data, CONSTANTS_B);
    free(code);
}

void mali_sc_code_validate(struct sc_code *code)
{
    for (struct block *block = code->newest; block; block = block->older) {
        const void *now = block->size_B ? gpu_space_whole(code->memory, block->va, block->size_B, GPU_PERM_READ) : NULL;
        if (block->size_B && (!now || memcmp(now, block->bytes, block->size_B) != 0)) {
            forget_all(code);
            return;
        }
    }
}

const char *mali_sc_code_constants(const struct sc_code *code)
{
    return code->constant_data;
}

/* ---- building ---- */

void *mali_sc_code_alloc(struct sc_builder *builder, size_t size_B)
{
    return arena_alloc(&builder->exec.code->arena, size_B);
}

struct sc_uop *mali_sc_build(struct sc_builder *builder, sc_run_fn run)
{
    static struct sc_uop in_vain; /* written after a failure, never read */
    if (builder->exec.count == builder->exec.capacity) {
        const uint32_t capacity = builder->exec.capacity ? builder->exec.capacity * 2 : 64;
        struct sc_uop *uops = realloc(builder->exec.uops, capacity * sizeof(*uops));
        if (!uops) {
            builder->exec.failed = true;
            return &in_vain;
        }
        builder->exec.uops = uops;
        builder->exec.capacity = capacity;
    }
    struct sc_uop *uop = &builder->exec.uops[builder->exec.count++];
    *uop = (struct sc_uop){.run = run, .inst = builder->inst, .pc = builder->pc};
    return uop;
}

sc_place mali_sc_constant_place(struct sc_builder *builder, uint64_t value, unsigned rows)
{
    struct sc_code *code = builder->exec.code;
    const uint64_t key = (value ^ rows) * 0x9e3779b97f4a7c15ull;
    const uint64_t *found = map64_get(&code->constants, key);
    struct constant *first = found ? (struct constant *)(uintptr_t)*found : NULL;
    for (const struct constant *c = first; c; c = c->next) {
        if (c->value == value && c->rows == rows)
            return c->offset_B | SC_BASE_CONSTANTS;
    }
    struct constant *made = arena_new(&code->arena, struct constant);
    const size_t size_B = rows * SC_ROW_B, at = code->constant_used_B;
    if (!made || at + size_B > CONSTANTS_B || !map64_set(&code->constants, key, (uintptr_t)made)) {
        builder->exec.failed = true;
        return SC_BASE_CONSTANTS;
    }
    *made = (struct constant){first, value, rows, (uint32_t)at};
    code->constant_used_B += size_B;
    for (unsigned i = 0; i < rows; i++)
        lanes_splat((uint32_t *)(code->constant_data + at + i * SC_ROW_B), (uint32_t)(value >> 32 * i), MALI_ROW_LANES);
    return (sc_place)at | SC_BASE_CONSTANTS;
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
        struct mali_isa_inst *inst = arena_new(&builder->exec.code->arena, struct mali_isa_inst);
        if (!inst) {
            builder->exec.failed = true;
            return n;
        }
        if (mali_isa_decode(word, inst) != 0) {
            build_stop(builder, 1);
            return n + 1;
        }
        builder->inst = inst;
        if (!mali_sc_translate(builder))
            build_stop(builder, 2);
        if (builder->exec.ends_block || builder->exec.failed)
            return n + 1;
    }
}

/* The block that was built; NULL: no memory, or the code has changed meanwhile. */
static const struct sc_uop *keep(struct sc_builder *builder, uint64_t pc, uint32_t size_B)
{
    struct sc_code *code = builder->exec.code;
    struct block *block = builder->exec.failed ? NULL : arena_new(&code->arena, struct block);
    void *bytes = block ? arena_alloc(&code->arena, size_B + 1) : NULL;
    if (!bytes || gpu_space_read(code->memory, pc, bytes, size_B) != size_B ||
        !map64_set(&code->blocks, pc, (uintptr_t)block)) {
        free(builder->exec.uops);
        return NULL;
    }
    *block = (struct block){code->newest, pc, size_B, bytes, builder->exec.uops};
    code->newest = block;
    return block->uops;
}

const struct sc_uop *mali_sc_code_enter(struct mali_warp *warp, uint64_t pc)
{
    const uint64_t *found = map64_get(&warp->code->blocks, pc);
    if (found)
        return ((const struct block *)(uintptr_t)*found)->uops;
    struct sc_builder builder = {.exec = {.code = warp->code}, .is_strict = warp->strict != NULL};
    const uint32_t count = translate_block(&builder, pc);
    const struct sc_uop *uops = keep(&builder, pc, count * 8);
    if (!uops) {
        warp->state = MALI_WARP_FAULTED;
        warp->fault = (struct mali_warp_fault){
            .kind = MALI_FAULT_INSTRUCTION, .pc = pc, .why = "no memory to decode the program"};
    }
    return uops;
}
