/* Programs as the executor runs them: a cache of decoded blocks, from a program counter to micro-operations.
 *
 * A block is straight code up to a branch, or up to an instruction with (jp), where parked fibers may join. It is decoded
 * when it is first reached, from the bytes in GPU memory, and kept together with a copy of them:
 * adreno_sp_code_validate throws the cache away when the memory has changed since. A cache belongs to one worker and one
 * address space: no locks. */
#ifndef ADRENO_MODEL_SP_CODE_H
#define ADRENO_MODEL_SP_CODE_H

#include "adreno/model/sp/uop.h"

struct sp_code *adreno_sp_code_create(const struct gpu_space *memory);
void adreno_sp_code_destroy(struct sp_code *code);

/* Compare every decoded block with memory; forget all of them if one differs. Not while a wave runs on this cache. */
void adreno_sp_code_validate(struct sp_code *code);

/* Where constants of this cache lie, for adreno_wave.base[SP_BASE_CONSTANTS]. */
const char *adreno_sp_code_constants(const struct sp_code *code);

/* The first micro-operation of the block at `pc`. NULL, with the wave faulted, where there is no code. */
const struct sp_uop *adreno_sp_code_enter(struct adreno_wave *wave, uint32_t pc);

/* ---- the translator's side ---- */

struct sp_jit;
struct sp_jit_run;

struct sp_builder {
    struct sp_code *code;
    uint32_t lanes;
    struct sp_uop *uops;
    uint32_t count;
    uint32_t capacity;
    bool failed;     /* out of memory */
    bool ends_block; /* set by an instruction that ends straight code */
    uint32_t pc;     /* of the instruction being translated */
    uint32_t temps;  /* rows in use by it */
    const struct adreno_isa_inst *inst;

    /* jit.c's: the runs of this block, newest first, and the one that may still grow */
    struct sp_jit_run *runs;
    uint32_t run_first;
    uint32_t run_instructions;
    bool run_has_head;
};

/* Memory that lives as long as the blocks; host code of this cache's runs, NULL: none is made. */
void *adreno_sp_code_alloc(struct sp_code *code, size_t size_B);
struct sp_jit *adreno_sp_code_jit(const struct sp_code *code);

/* Append; the result is valid until the next append. Never NULL: after a failure it is a dummy that is never executed. */
struct sp_uop *adreno_sp_build(struct sp_builder *builder, sp_run_fn run);

/* A constant spread over a row of lanes. */
sp_place adreno_sp_build_constant(struct sp_builder *builder, uint32_t value);

/* Places. */
sp_place adreno_sp_row_place(const struct sp_builder *builder, unsigned row);
sp_place adreno_sp_gpr_place(const struct sp_builder *builder, unsigned component, bool is_half);
sp_place adreno_sp_temp_place(struct sp_builder *builder);

/* The value of an operand as a row, `step` registers further where it has (r). Modifiers are not applied. `is_float`: a
 * half constant is a float of 32 bits that is narrowed. */
sp_place adreno_sp_source(struct sp_builder *builder, const struct adreno_isa_operand *operand, unsigned step,
                          bool is_half, bool is_float);

/* Where a kernel writes the result for `operand`; adreno_sp_result() then appends what brings it there from `place`. */
sp_place adreno_sp_destination(struct sp_builder *builder, const struct adreno_isa_operand *operand, unsigned step,
                               bool is_half);
void adreno_sp_result(struct sp_builder *builder, const struct adreno_isa_operand *operand, unsigned step, bool is_half,
                      sp_place place);

/* Translate one instruction; false: the model does not implement it. One for each part of the instruction set. */
bool adreno_sp_translate(struct sp_builder *builder, const struct adreno_isa_inst *inst);
bool adreno_sp_translate_control(struct sp_builder *builder);
bool adreno_sp_translate_alu(struct sp_builder *builder);
bool adreno_sp_translate_move(struct sp_builder *builder);
bool adreno_sp_translate_texture(struct sp_builder *builder);
bool adreno_sp_translate_memory(struct sp_builder *builder);

/* Go on at `pc`: the end of a block that no branch ends. */
void adreno_sp_build_goto(struct sp_builder *builder, uint32_t pc);
/* The beginning of a block whose first instruction has (jp). */
void adreno_sp_build_join(struct sp_builder *builder);

#endif
