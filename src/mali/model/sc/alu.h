/* The generated ALU kernels (gen_alu.py). */
#ifndef MALI_MODEL_SC_ALU_H
#define MALI_MODEL_SC_ALU_H

#include "isa/lane.h"
#include "mali/model/sc/uop.h"

/* Variants of an instruction: conditions, roundings and MUX's tests in the order of their fields; ICMP_MULTI's first
 * halves from 8 on; 1: .rhadd, .signed, .neg, .sqrt; 2: .preserve_null, .log. */
#define SC_VARIANTS 16

/* NULL: no meaning is known. */
extern const sc_run_fn mali_sc_alu_kernels[MALI_ISA_OP_COUNT][SC_VARIANTS];

#endif
