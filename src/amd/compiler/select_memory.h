/* The common part of the selection of loads and stores. */
#ifndef AMD_COMPILER_SELECT_MEMORY_H
#define AMD_COMPILER_SELECT_MEMORY_H

#include "amd/compiler/select.h"

#define MAX_GLOBAL_OFFSET_B 2047

static inline unsigned amd_sel_size_B(const struct ir_value *value)
{
    return value->bits / 8u * value->comps;
}

/* ---- select_scalar.c ---- */

uint32_t amd_sel_alignment(const struct ir_instr *instr);

/* One instruction of 1, 2, 4, 8 or 16 dwords. */
mir_temp amd_sel_scalar_load(struct select *ctx, bool buffer, mir_temp base, struct mir_operand offset, uint32_t imm_B,
                             unsigned dwords, uint16_t sync);

/* All of the instruction's result. */
void amd_sel_scalar_value(struct select *ctx, struct ir_instr *instr, bool buffer, mir_temp base,
                          struct mir_operand offset, uint32_t imm_B, uint16_t sync);

/* An offset as an SGPR and an immediate; MIR_NONE where the immediate is all. */
struct mir_operand amd_sel_scalar_offset(struct select *ctx, const struct ir_value *value, uint32_t *imm_B);

/* ---- select_memory.c ---- */

/* Where a global access goes: an address in VGPRs, or an offset of 32 bits from one in SGPRs. */
struct sel_global {
    mir_temp vaddr;
    struct mir_operand saddr;
    uint32_t imm_B;
};

void amd_sel_global_load(struct select *ctx, struct ir_instr *instr, const struct sel_global *place, uint32_t access,
                         uint16_t sync);

#endif
