/* See join_area.h. */
#include "mali/model/sc/join_area.h"

#include <string.h>

bool mali_sc_area_add(struct sc_join_area *area, struct exec_code *code, const struct sc_jit_builder *b, bool is_some,
                      bool has_uops)
{
    if (area->count == SC_AREA_PARTS || !mali_sc_move_keep(&area->parts[area->count], code, b))
        return false;
    area->has_uops[area->count] = has_uops;
    area->is_some[area->count++] = is_some;
    return true;
}

struct exec_plane mali_sc_area_row(const struct sc_join_rows_of *rows, uint32_t row_B)
{
    for (uint32_t i = rows->count; i-- > 0;) {
        if (rows->rows[i].row_B == row_B)
            return rows->rows[i].plane;
    }
    return rows->preloaded->row(rows->preloaded->user, row_B);
}

static struct exec_plane find_row(void *user, uint32_t row_B)
{
    return mali_sc_area_row(user, row_B);
}

/* Rows that a piece has stored. False: too much. */
static bool keep_rows(struct sc_join_rows_of *rows, const struct sc_move_part *part, const struct exec_plane *planes)
{
    for (uint32_t i = 0; i < part->count; i++) {
        const struct jit_inst *inst = &part->insts[i];
        if (inst->op != JIT_STORE && inst->op != JIT_STORE_BITS)
            continue;
        if (rows->count == SC_AREA_ROWS)
            return false;
        rows->rows[rows->count].row_B = inst->imm;
        rows->rows[rows->count++].plane = planes[inst->a];
    }
    return true;
}

/* No lane comes to what is between the pieces. */
static bool is_nowhere(const struct sc_join_rows_of *rows)
{
    const struct exec_plane running =
        mali_sc_area_row(rows, (uint32_t)(sizeof(struct mali_warp) + offsetof(struct sc_join_rows, running)));
    return exec_plane_is_flat(&running) && !running.base;
}

bool mali_sc_area_look(struct sc_join_area *area, struct mali_warp *warp, const struct exec_area *preloaded,
                       struct sc_join_rows_of *rows_out)
{
    const struct exec_area own = {preloaded->width, preloaded->height, warp, find_row, rows_out};
    struct exec_plane planes[EXEC_BYTES_MAX];
    rows_out->preloaded = preloaded;
    rows_out->count = 0;
    for (uint32_t i = 0; i < area->count; i++) {
        struct sc_move_part *part = &area->parts[i];
        if (!mali_sc_jit_bring(warp, &part->inputs))
            return false;
        exec_area_look(&own, part->insts, part->count, planes);
        if (!keep_rows(rows_out, part, planes))
            return false;
        if (area->has_uops[i] && !(area->is_some[i] && is_nowhere(rows_out)))
            return false;
    }
    return true;
}
