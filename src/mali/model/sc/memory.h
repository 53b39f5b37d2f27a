/* What memory instructions have in common. */
#ifndef MALI_MODEL_SC_MEMORY_H
#define MALI_MODEL_SC_MEMORY_H

#include <stdlib.h>

#include "mali/model/sc/uop.h"

/* False: the warp is faulted. */
bool mali_sc_read(struct mali_warp *warp, const struct sc_uop *uop, uint64_t va, void *data, uint32_t size_B);

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
