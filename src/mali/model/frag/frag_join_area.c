/* Joined programs over whole rectangles of pixels (frag_join.h): such as move what lies elsewhere, and such as do
 * nothing. */
#include <stddef.h>

#include "isa/lane_env.h"
#include "mali/model/frag/frag_join.h"
#include "mali/model/sc/join_area.h"
#include "mali/model/sc/uop.h"
#include "util/bits.h"

/* ---- moves ---- */

/* Registers for pixels from the frame's first one on. */
static struct exec_plane find_register(void *user, uint32_t row_B)
{
    const struct mali_warp *warp = user;
    const uint32_t reg = (row_B - (uint32_t)offsetof(struct mali_warp, rows)) / SC_ROW_B;
    if (reg == FRAG_REG_PLACE)
        return exec_plane_of(0, 1, 1u << 16);
    if (reg < FRAG_REG_COVERAGE || reg >= MALI_WARP_REGISTERS)
        return (struct exec_plane){EXEC_PLANE_NONE};
    return exec_plane_of(warp->rows[reg * MALI_ROW_LANES], 0, 0);
}

static bool look_at_move(struct frag_worker *w, const struct frag_joined *joined, struct mali_warp *warp)
{
    const struct frag_join_variant *variant = &joined->variants[true];
    const struct pixel_variant *code = &joined->base.variants[true];
    const struct exec_area area = {w->fb->width, w->fb->height, warp, find_register, warp};
    const uint64_t host = lane_env_get();
    lane_env_set(warp->env);
    mali_frag_preload_block(w, warp, variant->preloaded, &w->fb->frame, 0, 0);
    const bool is_one = mali_sc_move_look(variant->move, warp, &area, code->segments[code->count - 1].code, &w->moved);
    lane_env_set(host);
    return is_one;
}

const struct sc_move *mali_frag_find_move(struct frag_worker *w)
{
    struct frag_joined *joined = mali_frag_joined(w);
    struct sc_move *move = joined->variants[true].move;
    if (!move)
        return NULL;
    if (w->move_serial != w->draw->launch.serial) {
        struct mali_warp *warp = mali_frag_join_begin(w, joined, true);
        w->has_moved = warp && look_at_move(w, joined, warp);
        w->move_serial = w->draw->launch.serial;
    }
    return w->has_moved ? move : NULL;
}

/* ---- tiles in which a frame's draw does nothing ---- */

static struct exec_plane find_in_tile(void *user, uint32_t row_B)
{
    const struct frag_worker *w = user;
    const uint32_t reg = (row_B - (uint32_t)offsetof(struct mali_warp, rows)) / SC_ROW_B;
    switch (reg) {
    case FRAG_REG_PLACE:
        return exec_plane_of((uint32_t)w->tile.x | (uint32_t)w->tile.y << 16, 1, 1u << 16);
    case FRAG_REG_COVERAGE:
        return exec_plane_of((uint32_t)bits_mask(w->fb->samples), 0, 0);
    default:
        return (struct exec_plane){EXEC_PLANE_NONE};
    }
}

static uint32_t offset_of(const struct mali_warp *warp, const void *place)
{
    return (uint32_t)((const char *)place - (const char *)warp);
}

static bool is_all(const struct sc_join_rows_of *rows, uint32_t row_B, uint32_t word)
{
    const struct exec_plane plane = mali_sc_area_row(rows, row_B);
    return exec_plane_is_flat(&plane) && plane.base == word;
}

/* Nothing is left of any pixel: all are killed, and nothing was tested before; or no colour covers one, and nothing is
 * tested at all. */
static bool leaves_nothing(struct frag_worker *w, const struct frag_join_variant *variant, struct mali_warp *warp,
                           const struct sc_join_rows_of *rows)
{
    const struct frag_join_rows *place = mali_frag_join_rows(warp);
    const bool is_tested = mali_frag_tests_any(w->draw);
    if (variant->has_discard && is_all(rows, offset_of(warp, &place->killed), UINT32_MAX))
        return !is_tested || !w->draw->is_updated_early;
    bool is_nothing = !is_tested && !variant->has_zs;
    for (unsigned i = 0; is_nothing && i < variant->output_count; i++)
        is_nothing = variant->outputs[i].has_cover && is_all(rows, offset_of(warp, place->covers[i]), 0);
    return is_nothing;
}

bool mali_frag_is_idle(struct frag_worker *w)
{
    struct frag_joined *joined = w->draw->has_shader ? mali_frag_joined(w) : NULL;
    const struct frag_join_variant *variant = joined ? &joined->variants[true] : NULL;
    if (!variant || joined->base.variants[true].state != PIXEL_JOIN_READY || !variant->area ||
        variant->has_zs != w->draw->zs_from_shader)
        return false;
    struct mali_warp *warp = mali_frag_join_begin(w, joined, true);
    const struct exec_area preloaded = {(uint32_t)w->tile.width, (uint32_t)w->tile.height, warp, find_in_tile, w};
    struct sc_join_rows_of rows;
    return warp && mali_sc_area_look(variant->area, warp, &preloaded, &rows) && leaves_nothing(w, variant, warp, &rows);
}
