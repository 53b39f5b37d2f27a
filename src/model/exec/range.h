/* Lane programs that move memory: what is stored is what was loaded, or one value for all lanes, and offsets grow from
 * lane to lane. Such a program runs for any number of consecutive lanes at once: every value is a line (what the first
 * lane has, and how much more the next one), comparisons say up to which lane they stay what they are, and up to there
 * the lanes' stores are one copy or one fill. So a copy by a shader is a copy of memory.
 *
 * Not for: stores with gaps between lanes, values that are no lines, copies to what they read. There the caller has
 * code for some lanes at a time. */
#ifndef MODEL_EXEC_RANGE_H
#define MODEL_EXEC_RANGE_H

#include "model/exec/code.h"
#include "model/exec/program.h"

struct exec_range {
    uint32_t count;
    struct jit_inst *insts;
};

/* The program, in the cache's memory; NULL: it is not such a one, or there is no memory. */
struct exec_range *exec_range_make(struct exec_code *code, const struct lane_program *program);
/* Whether it reads a scalar of the frame. */
bool exec_range_reads(const struct exec_range *range, uint32_t scalar_B);

/* For lanes from 0 on, JIT_LANE being their number; how many are done, from the first one on: the next one is not for
 * this. */
uint32_t exec_range_run(const struct exec_range *range, void *frame, uint32_t lanes);

#endif
