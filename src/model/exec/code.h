/* Programs as an executor runs them: a cache of decoded blocks, for the shader cores of all families.
 *
 * An executor runs micro-operations: a function with operands, one after the other, each over all lanes of a wave. A
 * block is straight code up to a branch. When a wave first comes to one, the family decodes it from the bytes in GPU
 * memory, appends micro-operations of its own type (exec_build) and hands them to the cache (exec_code_keep); from then
 * on exec_code_find has them. A block is known by its address and a tag, which is whatever else its micro-operations
 * depend on: the size of the wave, for one. A copy of the bytes is kept, so that exec_code_validate finds out when the
 * memory has changed: then everything is forgotten. exec_code_trim forgets everything when it has become large, so that
 * a process which makes programs for as long as it runs needs no more memory than one which makes a few.
 *
 * Operands that are constants are rows of lanes in memory of the cache (exec_code_row), named by their offset.
 * Straight runs of micro-operations become host code (run.h), whose memory belongs to the cache, too.
 *
 * A family embeds struct exec_code as the first member of its own cache, and struct exec_builder in its own builder. A
 * cache belongs to one worker and one address space: no locks.
 *
 * Not for: what a micro-operation is, how an instruction becomes some, control flow. */
#ifndef MODEL_EXEC_CODE_H
#define MODEL_EXEC_CODE_H

#include <stdatomic.h>
#include <stddef.h>

#include "model/jit.h"
#include "model/memory.h"
#include "util/arena.h"
#include "util/map.h"

struct exec_run;
struct exec_family;
struct lane_program;

struct exec_block {
    struct exec_block *older;
    uint64_t va;
    uint64_t tag;
    uint32_t size_B;
    void *bytes; /* the code it was decoded from */
    void *uops;
};

/* Counts of host code, for tests and reports. */
struct exec_counts {
    uint32_t runs, loops;  /* that were compiled */
    uint32_t loop_entries; /* of waves */
    uint32_t wholes;       /* programs that were compiled as a whole */
    uint32_t misses;       /* waves with lanes that code was not for, after it was entered */
    uint32_t shuffles;     /* loops that are one, in loops that were compiled */
    uint32_t joins;        /* programs that ran joined (model/pixel/pixel_join.h), where a test counts them */
};

struct exec_code {
    const struct gpu_space *memory;
    struct arena arena;     /* of what lives as long as the blocks */
    struct map64 blocks;    /* address and tag, mixed -> struct exec_block */
    struct map64 constants; /* value and shape, mixed -> struct constant */
    struct exec_block *newest;
    uint32_t epoch; /* how often all was forgotten */
    char *constant_data;
    size_t constant_used_B, constant_committed_B, constant_reserved_B;
    size_t kept_B;  /* of blocks */
    void *joined;   /* programs of pixels (pixel/pixel_join.h); NULL again when all is forgotten */
    void *wholes;   /* the family's programs of workgroups; the same */
    void *shuffles; /* its loops that are shuffles; the same */
    struct exec_counts counts;
    _Atomic uint64_t *progress; /* grows with all that is made here, for the watchdog; NULL: nothing counts */
    struct jit *jit; /* memory for host code; NULL: none is made (no such host, strict mode, TUFF_DEBUG=nojit) */
};

/* False: out of memory. */
bool exec_code_init(struct exec_code *code, const struct gpu_space *memory);
void exec_code_finish(struct exec_code *code);

/* Compare every block with memory; forget all of them if one differs. Not while a wave runs on this cache. */
void exec_code_validate(struct exec_code *code);

/* Forget all blocks if they, their constants or their host code need much memory. Not while a wave runs on this
 * cache. */
void exec_code_trim(struct exec_code *code);

/* jit_compile() in this cache's memory. */
jit_code exec_code_compile(struct exec_code *code, const struct lane_program *program, const struct jit_frame *frame,
                           bool is_full);

/* Memory that lives as long as the blocks; NULL: out of memory. */
static inline void *exec_code_alloc(struct exec_code *code, size_t size_B)
{
    return arena_alloc(&code->arena, size_B);
}

static inline uint64_t exec_code_key(uint64_t va, uint64_t tag)
{
    return va ^ tag * 0x9e3779b97f4a7c15ull;
}

/* The micro-operations of a block; NULL: it was not decoded yet. */
static inline const void *exec_code_find(const struct exec_code *code, uint64_t va, uint64_t tag)
{
    const uint64_t *found = map64_get(&code->blocks, exec_code_key(va, tag));
    const struct exec_block *block = found ? (const struct exec_block *)(uintptr_t)*found : NULL;
    return block && block->va == va && block->tag == tag ? block->uops : NULL;
}

/* ---- building a block ---- */

#define EXEC_UOP_MAX_B 128

struct exec_builder {
    struct exec_code *code;
    const struct exec_family *family; /* run.h */
    uint32_t lanes;
    void *uops; /* of family->uop_size_B bytes each */
    uint32_t count;
    uint32_t capacity;
    bool failed;     /* out of memory */
    bool ends_block; /* set by an instruction that ends straight code */

    /* run.c's: the runs of this block, newest first, and the one that may still grow */
    struct exec_run *runs;
    uint32_t run_first;
    uint32_t run_length; /* instructions */
    bool run_is_open;

    uint64_t in_vain[EXEC_UOP_MAX_B / 8]; /* written after a failure, never read */
};

/* Append a micro-operation of zeros; valid until the next append. Never NULL: after a failure it is a dummy that is
 * never executed. */
void *exec_build(struct exec_builder *builder);

/* The block at `va` is complete and was decoded from `size_B` bytes there. Its micro-operations, or NULL: out of memory
 * (then they are freed), or the memory has changed meanwhile. */
const void *exec_code_keep(struct exec_builder *builder, uint64_t va, uint64_t tag, uint32_t size_B);

/* The offset in constant_data of `rows` rows of the builder's lanes: the first has the low dword of the value in every
 * lane, the second the high one, others zeros. */
uint32_t exec_code_row(struct exec_builder *builder, uint64_t value, unsigned rows);
/* A number of 64 bits as two dwords. */
uint32_t exec_code_dwords(struct exec_builder *builder, uint64_t value);

#endif
