/* Programs as the executor runs them: this family's cache of decoded blocks (model/exec/code.h), and the translator's
 * side of it.
 *
 * A block is straight code up to a branch, or up to an instruction with .reconverge, after which parked lanes may join.
 * It is known by its address, and by what becomes of denormals. A cache belongs to one worker and one address space: no
 * locks. */
#ifndef MALI_MODEL_SC_CODE_H
#define MALI_MODEL_SC_CODE_H

#include "mali/model/sc/uop.h"
#include "model/exec/code.h"

struct sc_code *mali_sc_code_create(const struct gpu_space *memory);
void mali_sc_code_destroy(struct sc_code *code);

/* Compare every decoded block with memory; forget all of them if one differs. Not while a warp runs on this cache. */
void mali_sc_code_validate(struct sc_code *code);
void mali_sc_code_trim(struct sc_code *code); /* exec_code_trim */

/* Where constants of this cache lie, for mali_warp.base[SC_BASE_CONSTANTS]. */
const char *mali_sc_code_constants(const struct sc_code *code);

/* Its part that is the same in all families, and the lowering to host code; NULL: none is made. */
struct sc_jit_builder;
struct exec_code *mali_sc_code_exec(struct sc_code *code);
struct sc_jit_builder *mali_sc_code_jit(const struct sc_code *code);

/* The first micro-operation of the block at `pc`. NULL, with the warp faulted, where there is no memory for it. */
const struct sc_uop *mali_sc_code_enter(struct mali_warp *warp, uint64_t pc);

/* Control flow of the running lanes: all of them go on at `pc`, which the micro-operation's target, or the instruction
 * after it, mostly is; or none of them goes on. */
void mali_sc_go(struct mali_warp *warp, const struct sc_uop *uop, uint64_t pc);
void mali_sc_end_lanes(struct mali_warp *warp);
/* These lanes, which do not run, are to go on at `pc`. */
void mali_sc_park(struct mali_warp *warp, uint64_t pc, uint64_t lanes);

/* ---- the translator's side ---- */

struct sc_builder {
    struct exec_builder exec;
    uint64_t pc;    /* of the instruction being translated */
    uint32_t temps; /* rows in use by it */
    const struct mali_isa_inst *inst;
    bool is_strict, is_coherent;
    const void *facts; /* strict.c's, of the instruction */
};

/* Memory that lives as long as the blocks; NULL: there is none. */
void *mali_sc_code_alloc(struct sc_builder *builder, size_t size_B);

/* Append; the result is valid until the next append. */
struct sc_uop *mali_sc_build(struct sc_builder *builder, sc_run_fn run);

/* Places. */
sc_place mali_sc_register_place(unsigned reg);
sc_place mali_sc_temp_place(struct sc_builder *builder, unsigned rows);
sc_place mali_sc_constant_place(struct sc_builder *builder, uint64_t value, unsigned rows);

/* A source of the instruction as a row, or two where it is wide, with its selection and its modifiers. */
sc_place mali_sc_source(struct sc_builder *builder, unsigned index);

/* Translate one instruction; false: the model does not implement it. One for each part of the instruction set. */
bool mali_sc_translate(struct sc_builder *builder);
bool mali_sc_translate_control(struct sc_builder *builder);
bool mali_sc_translate_memory(struct sc_builder *builder);
bool mali_sc_translate_message(struct sc_builder *builder);

/* After the instruction's own micro-operations: what its flow field says. */
void mali_sc_translate_flow(struct sc_builder *builder);
/* Go on at `pc`: the end of a block that no branch ends. */
void mali_sc_build_goto(struct sc_builder *builder, uint64_t pc);

#endif
