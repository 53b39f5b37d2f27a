/* Outputs of a joined program (join.h) for a whole rectangle of lanes, by planes (model/exec/area.h): so that a draw
 * over all pixels that has nothing to do in most of them, as those before a frame have, need not run there.
 *
 * Not for: rectangles in which micro-operations between the pieces run. */
#ifndef MALI_MODEL_SC_JOIN_AREA_H
#define MALI_MODEL_SC_JOIN_AREA_H

#include "mali/model/sc/join.h"
#include "mali/model/sc/move.h"

#define SC_AREA_PARTS 8
#define SC_AREA_ROWS 128

struct sc_join_area {
    uint32_t count;
    bool is_some[SC_AREA_PARTS]; /* as sc_join_between has it */
    bool has_uops[SC_AREA_PARTS]; /* micro-operations follow */
    struct sc_move_part parts[SC_AREA_PARTS];
};

/* Rows that the program has written, and what they are. */
struct sc_join_rows_of {
    const struct exec_area *preloaded;
    uint32_t count;
    struct {
        uint32_t row_B;
        struct exec_plane plane;
    } rows[SC_AREA_ROWS];
};

/* The pieces are kept as they are made. False: too many, or no memory. */
bool mali_sc_area_add(struct sc_join_area *area, struct exec_code *code, const struct sc_jit_builder *b, bool is_some,
                      bool has_uops);

/* Over a rectangle, whose frame is the warp and whose rows are what was preloaded. False: it cannot be said. */
bool mali_sc_area_look(struct sc_join_area *area, struct mali_warp *warp, const struct exec_area *preloaded,
                       struct sc_join_rows_of *rows_out);
/* A row, or a lane mask as if it were a row of booleans, that the program has left. */
struct exec_plane mali_sc_area_row(const struct sc_join_rows_of *rows, uint32_t row_B);

#endif
