/* Programs as the executor runs them: a cache of decoded blocks, from GPU address to micro-operations.
 *
 * A block is straight code up to a branch. It is decoded when it is first reached, from the bytes in GPU memory, and
 * kept together with a copy of them: amd_sq_code_validate throws the cache away when the memory has changed since,
 * which is what the hardware's instruction-cache invalidate does. A cache belongs to one worker and one address space:
 * no locks. */
#ifndef AMD_MODEL_SQ_CODE_H
#define AMD_MODEL_SQ_CODE_H

#include "amd/model/sq/sq_wave.h"

struct sq_code *amd_sq_code_create(const struct gpu_space *memory);
void amd_sq_code_destroy(struct sq_code *code);

/* Compare every decoded block with memory; forget all of them if one differs. Not while a wave is running on this
 * cache. */
void amd_sq_code_validate(struct sq_code *code);

/* The texture unit's decoded descriptors, which live as long as this cache. NULL: out of memory, or an unknown
 * configuration. */
struct tc_cache;
struct tc_cache *amd_sq_code_textures(struct sq_code *code, uint32_t gb_addr_config);

/* Where constants of this cache lie, for sq_wave.base[SQ_BASE_CONSTANTS]. */
const char *amd_sq_code_constants(const struct sq_code *code);

/* The first micro-operation of the block at `pc`. NULL, with the wave faulted, where there is no code. */
const struct sq_uop *amd_sq_code_enter(struct sq_wave *wave, uint64_t pc);

/* Host code of this cache's runs (sq_jit.h); NULL: none is made. */
struct sq_jit;
struct sq_jit *amd_sq_code_jit(const struct sq_code *code);

/* ---- the translator's side ---- */

struct sq_jit_run;

struct sq_builder {
    struct sq_code *code;
    uint32_t lanes;
    uint32_t shared_vgpr; /* as in sq_wave */
    struct sq_uop *uops;
    uint32_t count;
    uint32_t capacity;
    bool failed;      /* out of memory */
    bool ends_block;  /* set by an instruction that ends straight code */
    uint64_t next_va; /* the address after the instruction being translated */
    uint32_t temps;   /* rows in use by the instruction being translated */

    /* sq_jit.c's: the runs of this block, newest first, and the one that may still grow */
    struct sq_jit_run *runs;
    uint32_t run_first;
    uint32_t run_kernels;
    bool run_has_head;
};

/* Append; the result is valid until the next append. Never NULL: after a failure it is a dummy that is never executed.
 */
struct sq_uop *amd_sq_build(struct sq_builder *builder, sq_run_fn run, const struct isa_inst *inst);

/* Memory that lives as long as the blocks. */
void *amd_sq_code_alloc(struct sq_code *code, size_t size_B);

/* Places for constants: spread over a row of lanes each (`dwords` rows), or as plain dwords for scalar instructions. */
sq_place amd_sq_build_lanes_constant(struct sq_builder *builder, uint64_t value, unsigned dwords);
sq_place amd_sq_build_scalar_constant(struct sq_builder *builder, uint64_t value);

/* Translate one instruction (sq_translate.c). False: the model does not implement it. */
bool amd_sq_translate(struct sq_builder *builder, const struct isa_inst *inst);

#endif
