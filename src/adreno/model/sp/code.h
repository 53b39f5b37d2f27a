/* Programs as the executor runs them: decoded blocks in the cache that all families share (model/exec/code.h). A block
 * is straight code up to a branch, or up to an instruction with (jp), where parked fibers may join. */
#ifndef ADRENO_MODEL_SP_CODE_H
#define ADRENO_MODEL_SP_CODE_H

#include "adreno/model/sp/uop.h"
#include "model/exec/code.h"

struct sp_code *adreno_sp_code_create(const struct gpu_space *memory);
void adreno_sp_code_destroy(struct sp_code *code);

/* Compare every decoded block with memory; forget all of them if one differs. Not while a wave runs on this cache. */
void adreno_sp_code_validate(struct sp_code *code);
void adreno_sp_code_trim(struct sp_code *code); /* exec_code_trim */

/* Where constants of this cache lie, for adreno_wave.base[SP_BASE_CONSTANTS]. */
const char *adreno_sp_code_constants(const struct sp_code *code);

/* The first micro-operation of the block at `pc`. NULL, with the wave faulted, where there is no code. */
const struct sp_uop *adreno_sp_code_enter(struct adreno_wave *wave, uint32_t pc);

/* ---- the translator's side ---- */

struct sp_builder {
    struct exec_builder exec;
    struct sp_code *code;
    uint32_t pc;    /* of the instruction being translated */
    uint32_t temps; /* rows in use by it */
    const struct adreno_isa_inst *inst;
};

/* The shared part of a cache, and the lowering of its runs (jit_build.h); NULL: there is no host code. */
struct sp_jit_builder;
struct exec_code *adreno_sp_code_exec(struct sp_code *code);
struct sp_jit_builder *adreno_sp_code_jit(const struct sp_code *code);
/* Programs whose registers have been looked at (jit_live.c); they live as long as the blocks. */
struct sp_live_program;
struct sp_live_program **adreno_sp_code_live(struct sp_code *code);

/* Append; the result is valid until the next append. Never NULL: after a failure it is a dummy that is never
 * executed. */
struct sp_uop *adreno_sp_build(struct sp_builder *builder, sp_run_fn run);

/* A constant spread over a row of lanes. */
sp_place adreno_sp_build_constant(struct sp_builder *builder, uint32_t value);

/* Translate one instruction; false: the model does not implement it. One for each part of the instruction set. */
bool adreno_sp_translate(struct sp_builder *builder, const struct adreno_isa_inst *inst);
bool adreno_sp_translate_control(struct sp_builder *builder);
bool adreno_sp_translate_texture(struct sp_builder *builder);
bool adreno_sp_translate_memory(struct sp_builder *builder);

/* Go on at `pc`: the end of a block that no branch ends. */
void adreno_sp_build_goto(struct sp_builder *builder, uint32_t pc);
/* The beginning of a block whose first instruction has (jp). */
void adreno_sp_build_join(struct sp_builder *builder);

#endif
