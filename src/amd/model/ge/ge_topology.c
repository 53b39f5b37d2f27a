/* Topologies: how many primitives a run of indices has, and which of them are a primitive's vertices. */
#include "amd/model/ge/ge.h"

uint64_t amd_ge_prims_of_run(const struct ge_state *state, uint32_t count)
{
    switch (state->prim_type) {
    case AMD_PRIM_TYPE_POINTLIST:
        return count;
    case AMD_PRIM_TYPE_LINELIST:
        return count / 2;
    case AMD_PRIM_TYPE_LINESTRIP:
        return count >= 2 ? count - 1 : 0;
    case AMD_PRIM_TYPE_LINELOOP:
        return count >= 2 ? count : 0;
    case AMD_PRIM_TYPE_QUADLIST: /* two triangles each */
        return (uint64_t)(count / 4) * 2;
    case AMD_PRIM_TYPE_QUADSTRIP:
        return count >= 4 ? (count - 2) / 2 * 2 : 0;
    case AMD_PRIM_TYPE_TRISTRIP:
    case AMD_PRIM_TYPE_TRIFAN:
    case AMD_PRIM_TYPE_POLYGON:
        return count >= 3 ? count - 2 : 0;
    case AMD_PRIM_TYPE_LINELIST_ADJ:
        return count / 4;
    case AMD_PRIM_TYPE_LINESTRIP_ADJ:
        return count >= 4 ? count - 3 : 0;
    case AMD_PRIM_TYPE_TRILIST_ADJ:
        return count / 6;
    case AMD_PRIM_TYPE_TRISTRIP_ADJ:
        return count >= 6 ? (count - 4) / 2 : 0;
    case AMD_PRIM_TYPE_PATCH:
        return count / state->hull.in_points;
    default: /* lists of triangles and rectangles */
        return count / 3;
    }
}

static bool shows_adjacent(const struct ge_state *state)
{
    return state->has_gs && state->prim_type >= AMD_PRIM_TYPE_LINELIST_ADJ &&
           state->prim_type <= AMD_PRIM_TYPE_TRISTRIP_ADJ;
}

/* The vertices of a geometry shader's primitive: corners, and after each one the vertex beyond the edge to the next.
 * In strips, every other triangle is turned round; the first one and the last one have an adjacent vertex that is
 * not a corner of a neighbour. */
static void places_with_adjacent(const struct ge_state *state, uint32_t prim, bool is_last,
                                 uint32_t place[GE_PRIM_VERTICES])
{
    uint32_t at = prim * 2, beyond = at + (is_last ? 5 : 6), before = prim ? at - 2 : 1;
    switch (state->prim_type) {
    case AMD_PRIM_TYPE_LINELIST_ADJ:
        for (unsigned i = 0; i < 4; i++)
            place[i] = prim * 4 + i;
        break;
    case AMD_PRIM_TYPE_LINESTRIP_ADJ:
        for (unsigned i = 0; i < 4; i++)
            place[i] = prim + i;
        break;
    case AMD_PRIM_TYPE_TRILIST_ADJ:
        for (unsigned i = 0; i < 6; i++)
            place[i] = prim * 6 + i;
        break;
    default:
        place[0] = prim & 1 ? at + 2 : at;
        place[1] = before;
        place[2] = prim & 1 ? at : at + 2;
        place[3] = prim & 1 ? at + 3 : beyond;
        place[4] = at + 4;
        place[5] = prim & 1 ? beyond : at + 3;
        break;
    }
}

/* Half of a quad whose corners stand in order, the provoking one first (or last). Both halves have it; the edge between
 * them is none of the quad's. */
static uint8_t places_of_half(const uint32_t quad[4], bool second, bool last, uint32_t place[GE_PRIM_VERTICES])
{
    static const uint8_t corners[2][2][3] = {{{0, 1, 2}, {0, 2, 3}}, {{0, 1, 3}, {1, 2, 3}}};
    static const uint8_t edges[2][2] = {{1 | 2, 2 | 4}, {1 | 4, 1 | 2}};
    for (unsigned i = 0; i < 3; i++)
        place[i] = quad[corners[last][second][i]];
    return edges[last][second];
}

/* Quads and polygons are drawn as triangles. Returns which of a triangle's edges, each from a corner to the next, are
 * edges of what it is a part of. */
static uint8_t places_of_part(const struct ge_state *state, uint32_t prim, uint32_t run_count,
                              uint32_t place[GE_PRIM_VERTICES])
{
    bool last = state->provoking_last;
    uint32_t at = prim / 2 * (state->prim_type == AMD_PRIM_TYPE_QUADLIST ? 4 : 2);
    const uint32_t list[4] = {at, at + 1, at + 2, at + 3}, first_of_strip[4] = {at, at + 1, at + 3, at + 2},
                   last_of_strip[4] = {at + 2, at, at + 1, at + 3};
    switch (state->prim_type) {
    case AMD_PRIM_TYPE_QUADLIST:
        return places_of_half(list, prim & 1, last, place);
    case AMD_PRIM_TYPE_QUADSTRIP:
        return places_of_half(last ? last_of_strip : first_of_strip, prim & 1, last, place);
    default: /* a polygon, of which the first vertex provokes, always */
        place[0] = last ? prim + 1 : 0;
        place[1] = last ? prim + 2 : prim + 1;
        place[2] = last ? 0 : prim + 2;
        bool starts = prim == 0, ends = prim + 3 == run_count;
        return last ? 1 | ends << 1 | starts << 2 : starts | 1 << 1 | ends << 2;
    }
}

static bool has_parts(const struct ge_state *state)
{
    return state->prim_type >= AMD_PRIM_TYPE_QUADLIST && state->prim_type <= AMD_PRIM_TYPE_POLYGON;
}

/* The places of a primitive's vertices in its run, in an order that keeps the winding and has the provoking vertex
 * first (or last). Only geometry shaders look at adjacent vertices; without one they are skipped. */
static void places_of_whole(const struct ge_state *state, uint32_t prim, uint32_t run_count,
                            uint32_t place[GE_PRIM_VERTICES])
{
    bool last = state->provoking_last;
    switch (state->prim_type) {
    case AMD_PRIM_TYPE_POINTLIST:
        place[0] = prim;
        break;
    case AMD_PRIM_TYPE_LINELIST:
        place[0] = prim * 2;
        place[1] = prim * 2 + 1;
        break;
    case AMD_PRIM_TYPE_LINESTRIP:
        place[0] = prim;
        place[1] = prim + 1;
        break;
    case AMD_PRIM_TYPE_LINELOOP:
        place[0] = prim;
        place[1] = prim + 1 == run_count ? 0 : prim + 1;
        break;
    case AMD_PRIM_TYPE_LINELIST_ADJ:
        place[0] = prim * 4 + 1;
        place[1] = prim * 4 + 2;
        break;
    case AMD_PRIM_TYPE_LINESTRIP_ADJ:
        place[0] = prim + 1;
        place[1] = prim + 2;
        break;
    case AMD_PRIM_TYPE_TRILIST_ADJ:
        for (unsigned i = 0; i < 3; i++)
            place[i] = prim * 6 + i * 2;
        break;
    case AMD_PRIM_TYPE_TRISTRIP_ADJ:
    case AMD_PRIM_TYPE_TRISTRIP:
        place[0] = prim & 1 && last ? prim + 1 : prim;
        place[1] = !(prim & 1) ? prim + 1 : last ? prim : prim + 2;
        place[2] = prim & 1 && !last ? prim + 1 : prim + 2;
        for (unsigned i = 0; i < 3 && state->prim_type == AMD_PRIM_TYPE_TRISTRIP_ADJ; i++)
            place[i] *= 2;
        break;
    case AMD_PRIM_TYPE_TRIFAN:
        place[0] = last ? 0 : prim + 1;
        place[1] = last ? prim + 1 : prim + 2;
        place[2] = last ? prim + 2 : 0;
        break;
    default:
        for (unsigned i = 0; i < 3; i++)
            place[i] = prim * 3 + i;
        break;
    }
}

uint8_t amd_ge_places_of_prim(const struct ge_state *state, uint32_t prim, uint32_t run_count,
                              uint32_t place[GE_PRIM_VERTICES])
{
    if (has_parts(state) && !shows_adjacent(state))
        return places_of_part(state, prim, run_count, place);
    if (shows_adjacent(state))
        places_with_adjacent(state, prim, prim + 1 == amd_ge_prims_of_run(state, run_count), place);
    else
        places_of_whole(state, prim, run_count, place);
    return RASTER_ALL_EDGES;
}

unsigned amd_ge_vertices_of_prim(const struct ge_state *state)
{
    static const uint8_t of_output[] = {
        [TESS_OUTPUT_POINTS] = 1, [TESS_OUTPUT_LINES] = 2, [TESS_OUTPUT_CW] = 3, [TESS_OUTPUT_CCW] = 3};
    if (state->hull.is_on)
        return of_output[state->hull.mode.output];
    if (shows_adjacent(state))
        return state->prim_type <= AMD_PRIM_TYPE_LINESTRIP_ADJ ? 4 : 6;
    switch (state->prim_type) {
    case AMD_PRIM_TYPE_POINTLIST:
        return 1;
    case AMD_PRIM_TYPE_LINELIST:
    case AMD_PRIM_TYPE_LINESTRIP:
    case AMD_PRIM_TYPE_LINELOOP:
    case AMD_PRIM_TYPE_LINELIST_ADJ:
    case AMD_PRIM_TYPE_LINESTRIP_ADJ:
        return 2;
    default:
        return 3;
    }
}
