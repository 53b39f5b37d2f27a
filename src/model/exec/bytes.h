/* Which bytes of what lanes have a word of a lane program is made of: a program that takes texels apart, scales them
 * and puts them together again may have moved them as they were. If each part of the word looks at one byte alone, that
 * can be found out by trying all values of each byte, the others being zero.
 *
 * Not for: words that are put together by anything but JIT_OR or sums. */
#ifndef MODEL_EXEC_BYTES_H
#define MODEL_EXEC_BYTES_H

#include "model/jit.h"

#define EXEC_BYTES_MAX 512 /* operations */

/* Where the bytes come from: one row of words, or four rows of words below 256. */
struct exec_bytes {
    uint32_t row_B[4];
    uint32_t row_count; /* 1 or 4 */
};

/* Whether `value` is an OR or a sum of parts that each depend on one of the four bytes, or on none. Scalars are those
 * of the frame. */
bool exec_bytes_are_apart(const struct jit_inst *insts, uint32_t count, const void *frame,
                          const struct exec_bytes *bytes, jit_value value);

/* Whether the word of `code`, which leaves it in the row at result_B and is such a one, is the four bytes as they were,
 * for all lanes of the frame. The frame's rows are written over. */
bool exec_bytes_stay(jit_code code, void *frame, uint32_t lanes, const struct exec_bytes *bytes, uint32_t result_B);

#endif
