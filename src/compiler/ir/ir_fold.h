/* Constant folding: what an operation gives for numbers that are known. The meaning of each operation is the expression
 * of its row in ops.table; the interpreter (ir_interpret.h) executes the same. */
#ifndef COMPILER_IR_IR_FOLD_H
#define COMPILER_IR_IR_FOLD_H

#include "compiler/ir/ir.h"

/* The result of an instruction whose operands are all scalar constants. False where it is not folded. */
bool ir_fold(const struct ir_shader *shader, const struct ir_instr *instr, uint64_t *out);

/* The result of an operation on scalars. `src_bits` and `srcs`: one entry for each operand, zero-extended; `imms` in
 * the row's order, may be NULL: zeros; `floats` may be NULL: denormals kept, to nearest even. The result is
 * zero-extended, NaN is the quiet one without sign or payload. False where the row has no expression or the widths are
 * none of the row's. */
bool ir_fold_op(enum ir_op op, uint8_t bits, const uint8_t *src_bits, const uint64_t *srcs, const uint32_t *imms,
                const struct ir_float_controls *floats, uint64_t *out);

/* A number as the bits of a float of 16, 32 or 64 bits, to nearest even, and back. */
uint64_t ir_float_to_bits(double value, uint8_t bits);
double ir_bits_to_float(uint64_t value, uint8_t bits);

#endif
