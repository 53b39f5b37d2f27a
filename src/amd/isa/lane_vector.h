/* The operands of the wrappers around lane functions (lane_wrappers.py): a vector operation over 32 lanes, a scalar
 * operation. Not for: the primitives (lane_rdna.h), decoding, register files: an executor fills these structs in. */
#ifndef AMD_ISA_LANE_VECTOR_H
#define AMD_ISA_LANE_VECTOR_H

#include "isa/lane_types.h"

/* One vector instruction on 32 lanes (a wave64 runs as two of them; rows with the property `wave` run once on all
 * lanes). A row is one VGPR of these lanes; a 64-bit operand is two rows, `row` dwords apart. Scalar operands are rows
 * that hold one value 32 times. Source modifiers, SDWA and DPP have been applied; a 16-bit source is in the low half. d
 * may be any of the sources. */
struct lane_vector {
    uint32_t *d;
    const uint32_t *s0, *s1, *s2;
    size_t row;
    uint32_t exec, vcc;
    uint32_t mask;     /* the mask source (s2:mask) */
    uint32_t mask_out; /* the mask result (d:mask or sd:mask); 0 for inactive lanes */
    uint32_t exec_out; /* the result of v_cmpx */
    uint32_t m0;
    uint32_t k;                     /* the literal of v_fmamk and v_fmaak */
    uint32_t p;                     /* v_interp_mov: which parameter */
    const uint32_t *p0, *p10, *p20; /* interpolation parameters by lane; 16-bit ones in the low half */
    uint32_t first_lane;            /* 0 or 32 */
    bool attr_high;
    bool clamp;
    const struct lane_mode *mode;

    /* rows with the property `wave` only: s0 and d are rows of all lanes */
    uint32_t lanes; /* 32 or 64 */
    uint64_t wave_exec;
    uint32_t scalar[2]; /* s1 and s2, or s0 and s1 of v_writelane: uniform values */
    uint32_t scalar_out;
    bool fetch_inactive, bound_ctrl; /* op_sel[0] and op_sel[1] of v_permlane */
};
typedef void lane_vector_fn(struct lane_vector *a);

struct lane_scalar;

/* A wave's state that scalar instructions need beyond its values. The hwreg word is the instruction's immediate: id,
 * offset, size. */
struct lane_services {
    uint32_t (*getreg)(struct lane_scalar *a, uint32_t hwreg);
    void (*setreg)(struct lane_scalar *a, uint32_t hwreg, uint32_t value);
    void (*wait)(struct lane_scalar *a, uint32_t counter, uint32_t base,
                 uint32_t limit); /* counter: enum lane_counter */
};

enum lane_counter {
    LANE_VSCNT,
    LANE_VMCNT,
    LANE_EXPCNT,
    LANE_LGKMCNT,
};

/* One scalar instruction. A 32-bit operand is in the low half. pc is the address of the next instruction. */
struct lane_scalar {
    uint64_t d; /* read where the destination is tied */
    uint64_t s0, s1;
    uint32_t imm, imm32;
    uint32_t s0_index, d_index; /* register numbers, for relative addressing */
    uint32_t *sgpr;
    uint32_t sgpr_count;
    uint64_t exec, vcc, pc;
    uint32_t m0;
    bool scc, priv;
    bool out_of_range; /* set when a relative register does not exist: the executor reports it */
    const struct lane_mode *mode;
    const struct lane_services *services;
};
typedef void lane_scalar_fn(struct lane_scalar *a);

#endif
