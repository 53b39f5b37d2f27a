/* Regions of a joined fragment program (join.h), found in its text before it is followed: loops, and long code that a
 * branch leads over. Pieces of the program begin and end with them.
 *
 * A round of a loop is one or several pieces; the last one goes back to the first while lanes are left that go round.
 * Those that have left wait behind the loop, with what their registers are in the warp's rows. A branch back to the
 * beginning that is not the loop's last waits for that one. The pieces of code that no lane comes to are left out. */
#ifndef MALI_MODEL_SC_JOIN_REGION_H
#define MALI_MODEL_SC_JOIN_REGION_H

#include "mali/model/sc/warp.h"
#include "model/exec/paths.h"

#define SC_JOIN_REGIONS 24

struct sc_join_region {
    bool is_loop;
    uint64_t begin_pc, end_pc; /* the first instruction, and the last branch back to it; of others the first one after it */
    uint64_t first_pc;         /* the first one that does anything */
    bool has_kill;             /* DISCARD */
    bool ends_helpers;         /* .discard */
    bool is_always;            /* the last branch back is for all lanes that come to it */
    bool is_plain;             /* a loop that may be host code by itself (loop.c) */
    uint64_t written;          /* registers */
    uint32_t exit_count;
    uint64_t exits[EXEC_PATHS_MAX]; /* where lanes come to after it */

    /* While it is followed. */
    bool is_open, is_closed;
    uint32_t piece; /* its first one */
    uint32_t wait_count;
    uint64_t waits[EXEC_PATHS_MAX]; /* where lanes may wait meanwhile, in the order of their rows */
};

struct sc_join_regions {
    uint32_t count;
    struct sc_join_region regions[SC_JOIN_REGIONS];
};

/* All regions of the warp's program; no loops if it has such that are not for this. */
void mali_sc_join_find_regions(const struct mali_warp *warp, struct sc_join_regions *regions);
/* The loop whose branches lead there; NULL: none. */
struct sc_join_region *mali_sc_join_loop_at(struct sc_join_regions *regions, uint64_t pc);
/* The outermost one that begins there and is not open; NULL: none. */
struct sc_join_region *mali_sc_join_region_first(struct sc_join_regions *regions, uint64_t pc);
/* The innermost open one, no loop, that has ended where lanes go on at `pc`; NULL: none. */
struct sc_join_region *mali_sc_join_region_ended(struct sc_join_regions *regions, uint64_t pc);

#endif
