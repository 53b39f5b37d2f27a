/* Liveness, for machine code in SSA form: values, blocks in program order, and one or two graphs between the blocks. A
 * value lives along one graph (a back end whose scalars see other ways through the program than its lanes do has two).
 * Knows no instruction and no register: a back end says where each value is written and read, and gets the values at
 * the borders of each block.
 *
 * Time and memory are those of the answer: of the blocks that each value is alive in. */
#ifndef COMPILER_MACHINE_LIVE_H
#define COMPILER_MACHINE_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "compiler/machine/edges.h"

#define LIVE_GRAPHS 2
#define LIVE_NOWHERE UINT32_MAX

/* A read that is not in the block that writes the value (there it is the back end's own business): in the block, before
 * anything else; or at the end of it, where the operands of the phis of its successors are read. */
struct live_use {
    uint32_t value, block;
    bool at_end;
};

struct live_input {
    uint32_t num_blocks, num_values, num_uses;
    const struct machine_edges *graphs[LIVE_GRAPHS]; /* by block; the second may be NULL */
    const uint8_t *graph_of;                         /* by value */
    const uint32_t *home;                            /* by value: the block that writes it, LIVE_NOWHERE: none */
    const struct live_use *uses;
};

/* The values that are alive at a block's start (without the results of its phis) and at its end (with what the
 * successors' phis read), in the order of their numbers: from first[block] to first[block + 1]. A value is not alive
 * before it was written on some way: a graph may have ways on which it is read and never written. */
struct live_sets {
    uint32_t *in_first, *out_first; /* num_blocks + 1 */
    uint32_t *in, *out;
};

/* Everything in the arena; false without memory. */
bool live_solve(const struct live_input *input, struct arena *arena, struct live_sets *sets_out);

#define live_foreach(sets, border, block, value)                                                                       \
    for (uint32_t value##_at = (sets)->border##_first[block], value;                                                   \
         value##_at < (sets)->border##_first[(block) + 1] && (value = (sets)->border[value##_at], true); value##_at++)

/* Whether a value is alive at a block's start. */
bool live_is_in(const struct live_sets *sets, uint32_t block, uint32_t value);

#endif
