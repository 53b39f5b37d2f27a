/* Where vertices are, whatever primitives they are of: their subpixels, and the planes that they are outside of. */
#include "model/raster/raster.h"

#include <math.h>
#include <string.h>

#include "util/bits.h"

/* 24 bits with their sign: beyond that the guard band has failed. */
#define LIMIT ((float)(1 << 23))

/* Coordinates of some vertices, a row of each; x, y and z are moved. */
struct points {
    float x[RASTER_ROW], y[RASTER_ROW], z[RASTER_ROW], w_rcp[RASTER_ROW];
};

struct row {
    struct points at;
    int32_t x[RASTER_ROW], y[RASTER_ROW];
    uint32_t is_near[RASTER_ROW]; /* the screen */
    uint32_t crossed[RASTER_ROW], discarded[RASTER_ROW];
};

/* From w_rcp = w on. What the state says is asked before the loops, so that the compiler makes vectors of them. */
static inline __attribute__((always_inline)) void land(const struct raster_state *restrict state,
                                                       const struct raster_viewport *restrict viewport,
                                                       struct row *restrict row, unsigned count)
{
    struct points *at = &row->at;
    if (!state->w_inverted) {
        for (unsigned i = 0; i < count; i++)
            at->w_rcp[i] = 1.0f / at->w_rcp[i];
    }
    if (!state->xy_divided) {
        for (unsigned i = 0; i < count; i++) {
            at->x[i] *= at->w_rcp[i];
            at->y[i] *= at->w_rcp[i];
        }
    }
    if (!state->z_divided) {
        for (unsigned i = 0; i < count; i++)
            at->z[i] *= at->w_rcp[i];
    }
    if (state->xy_transform) {
        for (unsigned i = 0; i < count; i++) {
            at->x[i] = at->x[i] * viewport->scale[0] + viewport->offset[0];
            at->y[i] = at->y[i] * viewport->scale[1] + viewport->offset[1];
        }
    }
    if (state->z_transform) {
        for (unsigned i = 0; i < count; i++)
            at->z[i] = at->z[i] * viewport->scale[2] + viewport->offset[2];
    }
    const float quanta = (float)(1 << (state->subpixel_bits - state->quantum_bits)),
                middle_x = state->middle[0] * quanta, middle_y = state->middle[1] * quanta;
    const int32_t quantum = 1 << state->quantum_bits;
    const float limit = LIMIT / (float)quantum;
    for (unsigned i = 0; i < count; i++) {
        const float x = at->x[i] * quanta, y = at->y[i] * quanta, from_x = fabsf(x - middle_x),
                    from_y = fabsf(y - middle_y);
        const uint32_t is_near = (from_x <= limit ? UINT32_MAX : 0) & (from_y <= limit ? UINT32_MAX : 0);
        row->is_near[i] = is_near;
        row->x[i] = (int32_t)rintf(is_near ? x : 0) * quantum;
        row->y[i] = (int32_t)rintf(is_near ? y : 0) * quantum;
    }
}

static struct raster_screen screen_at(const struct row *row, unsigned i)
{
    return (struct raster_screen){.x = row->x[i], .y = row->y[i], .z = row->at.z[i], .w_rcp = row->at.w_rcp[i]};
}

bool raster_project(const struct raster_state *state, const struct raster_viewport *viewport, const float pos[4],
                    struct raster_screen *screen_out)
{
    struct row row;
    row.at.x[0] = pos[0];
    row.at.y[0] = pos[1];
    row.at.z[0] = pos[2];
    row.at.w_rcp[0] = pos[3];
    land(state, viewport, &row, 1);
    *screen_out = screen_at(&row, 0);
    return row.is_near[0];
}

static void undo_divisions(const struct raster_state *restrict state, float (*restrict pos)[RASTER_ROW])
{
    for (unsigned i = 0; i < RASTER_ROW; i++) {
        float at[4] = {pos[0][i], pos[1][i], pos[2][i], pos[3][i]};
        raster_undo_division(state, at);
        for (unsigned k = 0; k < 4; k++)
            pos[k][i] = at[k];
    }
}

static void place_row(const struct raster_state *state, const float (*pos)[RASTER_POS_VECTORS][4], unsigned count,
                      struct raster_place *out)
{
    float at[4][RASTER_ROW] = {{0}};
    struct row row;
    for (unsigned i = 0; i < count; i++) {
        for (unsigned k = 0; k < 4; k++)
            at[k][i] = pos[i][0][k];
    }
    memcpy(&row.at, at, sizeof(row.at));
    land(state, &state->viewports[0], &row, RASTER_ROW);
    if (state->clips_divided)
        undo_divisions(state, at);
    raster_classify_row(state, (const float(*)[RASTER_ROW])at, row.crossed, row.discarded);
    for (unsigned i = 0; i < count; i++)
        out[i] = (struct raster_place){.screen = screen_at(&row, i),
                                       .is_on_screen = row.is_near[i],
                                       .crossed = row.crossed[i],
                                       .discarded = row.discarded[i]};
}

void raster_place_vertices(struct raster_assembler *assembler, enum raster_kind kind, size_t count,
                           struct raster_place *room)
{
    const struct raster_state *state = assembler->state;
    assembler->vertices.places = NULL;
    /* A row costs as much as three or four vertices by themselves. */
    if (kind != RASTER_TRIANGLE || count < RASTER_ROW / 2 || state->is_off || state->viewport.bits ||
        state->clip_distances || state->cull_distances)
        return;
    for (size_t first = 0; first < count; first += RASTER_ROW)
        place_row(state, assembler->vertices.pos + first, (unsigned)MIN2(count - first, (size_t)RASTER_ROW),
                  room + first);
    assembler->vertices.places = room;
}
