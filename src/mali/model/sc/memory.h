/* The common part of memory instructions. */
#ifndef MALI_MODEL_SC_MEMORY_H
#define MALI_MODEL_SC_MEMORY_H

#include <stdlib.h>

#include "mali/model/sc/uop.h"

/* False: the warp is faulted. */
bool mali_sc_read(struct mali_warp *warp, const struct sc_uop *uop, uint64_t va, void *data, uint32_t size_B);

/* Micro-operations that host code has, too (jit_inputs.c): LOAD and LD_BUFFER; of whole programs (whole.c) STORE and
 * LEA_BUFFER. */
void mali_sc_run_load(struct mali_warp *warp, const struct sc_uop *uop);
void mali_sc_run_load_buffer(struct mali_warp *warp, const struct sc_uop *uop);
void mali_sc_run_store(struct mali_warp *warp, const struct sc_uop *uop);
void mali_sc_run_lea_buffer(struct mali_warp *warp, const struct sc_uop *uop);

/* The host's memory of a handle's buffer whose pages allow `need`. NULL: not all of it is mapped so, its elements are
 * no bytes, or the handle is not of a buffer; no fault is reported. */
const uint8_t *mali_sc_buffer_view(struct mali_warp *warp, const struct sc_uop *uop, uint32_t handle, unsigned need,
                                   uint64_t *size_B_out);

/* The registers of one lane that a load of `bits` bits writes, with the instruction's lane selection. `words` are zero
 * after the bytes. */
void mali_sc_load_lane(const struct mali_isa_inst *inst, uint32_t bits, const uint32_t words[4], uint32_t *rows,
                       unsigned lane);

/* TUFF_DEBUG=coherence: what the instruction accesses is looked at before it runs (coherence.c). */
struct sc_builder;
void mali_sc_coherence_before(struct sc_builder *builder);

/* The number after the i in an instruction's name. */
uint32_t mali_sc_access_bits(unsigned op);

/* ---- resources ---- */

/* The eight words of the descriptor of a handle (table in bits 31:24, index below); zeros where the table has no such
 * one. NULL: the warp is faulted. They stay as long as the launch. */
const uint32_t *mali_sc_descriptor(struct mali_warp *warp, const struct sc_uop *uop, uint32_t handle);

#endif
