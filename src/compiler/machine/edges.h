/* The graph between blocks of machine code, and the plan that splits its critical edges: those from a fork (several
 * successors) to a join (several predecessors). Copies for one way into a join have no place on them. Knows no
 * instruction: the back end makes the new blocks, renames what it has and sets its branches. */
#ifndef COMPILER_MACHINE_EDGES_H
#define COMPILER_MACHINE_EDGES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/arena.h"

/* Ways of one graph from and to a block. */
struct machine_edges {
    const uint32_t *preds, *succs;
    uint32_t num_preds, num_succs;
};

/* A new block on an edge. All numbers are those of after. */
struct edge_split {
    uint32_t from, to, block;
    uint32_t pred; /* the place of the edge among the target's predecessors */
};

struct edge_splits {
    uint32_t count;          /* 0: nothing is critical, and there are no tables */
    struct edge_split *list; /* by source, then by the order of its successors */
    uint32_t *new_index;     /* by old number; the order of old blocks stays */
    uint32_t *old_index;     /* by new number; EDGE_NEW_BLOCK: one of the list */
    uint32_t num_blocks;     /* afterwards */
};

#define EDGE_NEW_BLOCK UINT32_MAX

/* Blocks are in program order. A new one stands before the target, or after the source where the edge leads back, so
 * that what it leads to comes next. Everything in the arena; false without memory. */
bool edges_plan_splits(const struct machine_edges *graph, uint32_t num_blocks, struct arena *arena,
                       struct edge_splits *splits_out);

#endif
