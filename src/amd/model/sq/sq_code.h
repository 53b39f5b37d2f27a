/* Programs as the executor runs them: decoded blocks in the cache that all families share (model/exec/code.h), and what
 * lives as long as it. amd_sq_code_validate forgets them when the memory has changed since, which is what the
 * hardware's instruction-cache invalidate does. */
#ifndef AMD_MODEL_SQ_CODE_H
#define AMD_MODEL_SQ_CODE_H

#include "amd/model/sq/sq_wave.h"
#include "model/exec/code.h"

struct sq_code *amd_sq_code_create(const struct gpu_space *memory);
void amd_sq_code_destroy(struct sq_code *code);

/* Compare every decoded block with memory; forget all of them if one differs. Not while a wave is running on this
 * cache. */
void amd_sq_code_validate(struct sq_code *code);
void amd_sq_code_trim(struct sq_code *code); /* exec_code_trim */

/* The texture unit's decoded descriptors, which live as long as this cache. NULL: out of memory, or an unknown
 * configuration. */
struct tc_cache;
struct tc_cache *amd_sq_code_textures(struct sq_code *code, uint32_t gb_addr_config);

/* Where constants of this cache lie, for sq_wave.base[SQ_BASE_CONSTANTS]. */
const char *amd_sq_code_constants(const struct sq_code *code);

/* The first micro-operation of the block at `pc`. NULL, with the wave faulted, where there is no code. */
const struct sq_uop *amd_sq_code_enter(struct sq_wave *wave, uint64_t pc);

/* The shared part, and the lowering of its runs (sq_jit_build.h). */
struct sq_jit_builder;
struct exec_code *amd_sq_code_exec(struct sq_code *code);
struct sq_jit_builder *amd_sq_code_jit(const struct sq_code *code);

/* ---- the translator's side ---- */

struct sq_builder {
    struct exec_builder exec;
    struct sq_code *code;
    uint32_t shared_vgpr; /* as in sq_wave */
    uint64_t next_va;     /* the address after the instruction being translated */
    uint32_t temps;       /* rows in use by the instruction being translated */
};

/* A builder for waves of this size; the family's table belongs to it. */
struct sq_builder amd_sq_builder(struct sq_code *code, uint32_t lanes, uint32_t shared_vgpr);

static inline struct sq_uop *amd_sq_uops(const struct sq_builder *builder)
{
    return builder->exec.uops;
}

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
