/* Where an access goes: what the select_*.c files that load and store share. */
#ifndef MALI_COMPILER_MEMORY_H
#define MALI_COMPILER_MEMORY_H

#include "mali/compiler/select.h"

/* A place in memory: bytes of a buffer that a handle names, or at an address of 64 bits. */
struct sel_place {
    bool is_buffer;
    bool is_private;            /* memory of the thread */
    struct mach_operand handle; /* of a buffer */
    struct mach_operand offset; /* of a buffer: in bytes */
    struct mach_operand base;   /* else: a pair of registers, of uniforms, or a special value */
    int32_t add_B;              /* that is added */
};

struct sel_place mali_sel_buffer_place(struct select *ctx, const struct ir_value *handle, const struct ir_value *offset,
                                       uint32_t base_B);
struct sel_place mali_sel_global_place(struct select *ctx, const struct ir_value *address, uint32_t base_B);
/* Shared memory (VIR_WLS) or private memory (VIR_TLS). */
struct sel_place mali_sel_local_place(struct select *ctx, unsigned special, const struct ir_value *offset,
                                      uint32_t base_B);
/* An address, and what the instruction adds to it: at most `most_B`, and not below zero unless it is INT16_MAX. */
struct mach_operand mali_sel_place_address(struct select *ctx, const struct sel_place *place, int32_t most_B,
                                           int32_t *add_B_out);

/* ---- select_atomic.c: of an instruction whose values are its operands from `data` on ---- */
void mali_sel_atomic_at(struct select *ctx, const struct ir_instr *instr, unsigned data, bool is_exchange,
                        struct mach_operand address, int32_t add_B);

#endif
