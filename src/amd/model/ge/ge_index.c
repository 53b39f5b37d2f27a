/* From indices to primitives: restart, instances, the vertices of each topology, and the reuse of a vertex within a
 * subgroup. */
#include <string.h>

#include "amd/model/coherence.h"
#include "amd/model/ge/ge.h"
#include "util/bits.h"

static uint64_t prims_of_run(const struct ge_state *state, uint32_t count)
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

/* The page of the index buffer that was read last. */
struct ge_index_page {
    uint64_t first_va, last_va; /* of indices that lie in it; the first one is above the last where there is none */
    const uint8_t *host;        /* of the first one */
};

static const struct ge_index_page no_page = {.first_va = 1};

/* Each size by itself: a copy of so many bytes is a call for a host, and one that waits for it when it reads them. */
static uint32_t load_index(const uint8_t *host, uint32_t size_B)
{
    uint32_t word;
    uint16_t half;
    switch (size_B) {
    case 1:
        return *host;
    case 2:
        memcpy(&half, host, sizeof(half));
        return half;
    default:
        memcpy(&word, host, sizeof(word));
        return word;
    }
}

/* Also of a page that is not the last one. */
static bool read_far_index(struct ge *ge, struct ge_index_page *page, uint64_t va, uint32_t size_B, uint32_t *index_out)
{
    const struct ge_draw *draw = ge->draw;
    if (__builtin_expect(draw->front != NULL, 0))
        coherence_read(draw->front, AMD_CLIENT_INDEX, 0, va, size_B);
    const uint8_t *host = gpu_space_pointer(draw->memory, va, size_B, GPU_PERM_READ);
    if (!host) {
        *index_out = 0;
        if (gpu_space_read(draw->memory, va, index_out, size_B) == size_B)
            return true;
        amd_ge_fault_memory(ge, "the index buffer", va, false);
        return false;
    }
    *index_out = load_index(host, size_B);
    if (!draw->front) {
        const uint64_t in_page_B = va & (GPU_PAGE_SIZE_B - 1);
        *page = (struct ge_index_page){
            .first_va = va - in_page_B, .last_va = va - in_page_B + GPU_PAGE_SIZE_B - size_B, .host = host - in_page_B};
    }
    return true;
}

/* Index number `at` of the draw; those after the buffer's end are 0. */
static inline bool read_index(struct ge *ge, struct ge_index_page *page, uint32_t at, uint32_t *index_out)
{
    const struct ge_draw *draw = ge->draw;
    const uint32_t size_B = ge->pipeline.ge.index_B;
    *index_out = at;
    if (!draw->indexed)
        return true;
    *index_out = 0;
    if (at >= draw->index_available)
        return true;
    const uint64_t va = draw->index_va + (uint64_t)at * size_B;
    if (va < page->first_va || va > page->last_va)
        return read_far_index(ge, page, va, size_B, index_out);
    *index_out = load_index(page->host + (va - page->first_va), size_B);
    return true;
}

static bool add_run(struct ge *ge, uint32_t first, uint32_t count)
{
    uint64_t prims = prims_of_run(&ge->pipeline.ge, count);
    if (!prims)
        return true;
    if (!array_push(&ge->runs, (struct ge_run){.first = first, .count = count, .first_prim = ge->prims_per_instance})) {
        amd_ge_fault_host(ge);
        return false;
    }
    ge->prims_per_instance += prims;
    return true;
}

bool amd_ge_index_begin(struct ge *ge)
{
    const struct ge_state *state = &ge->pipeline.ge;
    uint32_t count = ge->draw->count, first = 0;
    struct ge_index_page page = no_page;
    ge->runs.count = 0;
    ge->prims_per_instance = 0;
    if (state->restart && ge->draw->indexed) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t index;
            if (!read_index(ge, &page, i, &index))
                return false;
            if (index != state->restart_index)
                continue;
            if (!add_run(ge, first, i - first))
                return false;
            first = i + 1;
        }
    }
    if (!add_run(ge, first, count - first))
        return false;
    ge->prim_total = ge->prims_per_instance * ge->draw->instance_count;
    return true;
}

static const struct ge_run *find_run(const struct ge *ge, uint64_t prim)
{
    uint32_t low = 0, high = ge->runs.count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (ge->runs.data[middle].first_prim <= prim)
            low = middle;
        else
            high = middle;
    }
    return &ge->runs.data[low];
}

static bool shows_adjacent(const struct ge_state *state)
{
    return state->has_gs && state->prim_type >= AMD_PRIM_TYPE_LINELIST_ADJ &&
           state->prim_type <= AMD_PRIM_TYPE_TRISTRIP_ADJ;
}

/* What a geometry shader sees: corners, and after each one the vertex beyond the edge to the next. In strips, every
 * other triangle is turned round; the first one and the last one have an adjacent vertex that is not a corner of a
 * neighbour. */
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
static void places_of_prim(const struct ge_state *state, uint32_t prim, uint32_t run_count,
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

/* The number of what a primitive is drawn for. */
static uint32_t whole_of_part(const struct ge *ge, const struct ge_run *run, uint64_t prim)
{
    switch (ge->pipeline.ge.prim_type) {
    case AMD_PRIM_TYPE_QUADLIST:
    case AMD_PRIM_TYPE_QUADSTRIP:
        return (uint32_t)(prim / 2);
    case AMD_PRIM_TYPE_POLYGON:
        return (uint32_t)(run - ge->runs.data);
    default:
        return (uint32_t)prim;
    }
}

/* Four slots for a vertex, so that the table of small subgroups stays in the host's first cache. */
static unsigned reuse_slots_log2(const struct ge_state *state)
{
    const unsigned log2 = log2_floor(state->max_vertices | 1) + 2;
    _Static_assert(GE_REUSE_SLOTS == 1 << 12, "the hash has 12 bits at most");
    return MIN2(log2, 12u);
}

/* The vertex's place in the subgroup; appended if it is new. UINT32_MAX: there is no room. */
static uint32_t find_vertex(struct ge_worker *worker, const struct ge_state *state, unsigned slots_log2,
                            uint32_t vertex_id, uint32_t instance_id, uint32_t prim_id)
{
    struct ge_subgroup *subgroup = &worker->subgroup;
    uint32_t slot = (vertex_id * 0x9e3779b1u ^ instance_id * 0x85ebca6bu) >> (32 - slots_log2);
    while (!state->unshared && worker->reuse[slot].stamp == worker->stamp) {
        if (worker->reuse[slot].vertex_id == vertex_id && worker->reuse[slot].instance_id == instance_id)
            return worker->reuse[slot].index;
        slot = (slot + 1) & ((1u << slots_log2) - 1);
    }
    if (subgroup->vertex_count == state->max_vertices)
        return UINT32_MAX;
    uint32_t index = subgroup->vertex_count++;
    subgroup->vertex_id[index] = vertex_id;
    subgroup->instance_id[index] = instance_id;
    subgroup->vertex_prim_id[index] = prim_id;
    worker->reuse[slot].stamp = worker->stamp;
    worker->reuse[slot].vertex_id = vertex_id;
    worker->reuse[slot].instance_id = instance_id;
    worker->reuse[slot].index = (uint16_t)index;
    return index;
}

bool amd_ge_index_subgroup(struct ge *ge, struct ge_worker *worker)
{
    const struct ge_state *state = &ge->pipeline.ge;
    const struct ge_batch *batch = &ge->batches[worker->batch];
    struct ge_subgroup *subgroup = &worker->subgroup;
    const unsigned count = amd_ge_vertices_of_prim(state), slots_log2 = reuse_slots_log2(state);
    struct ge_index_page page = no_page;
    subgroup->vertex_count = subgroup->prim_count = subgroup->gs_first = 0;
    subgroup->gs_per_prim = state->gs_split ? 1 : state->gs_instances;
    subgroup->first_prim = batch->first_prim + worker->batch_next;
    worker->stamp++;
    uint32_t instance = (uint32_t)(subgroup->first_prim / ge->prims_per_instance);
    uint64_t local = subgroup->first_prim % ge->prims_per_instance;
    while (worker->batch_next < batch->prim_count && subgroup->prim_count < state->max_prims) {
        uint32_t place[GE_PRIM_VERTICES] = {0};
        const struct ge_run *run = find_run(ge, local);
        uint32_t prim_id = state->prim_id_base + whole_of_part(ge, run, local), before = subgroup->vertex_count;
        if (before + count > state->max_vertices)
            break; /* as the hardware does it: without a look at reuse */
        uint32_t in_run = (uint32_t)(local - run->first_prim);
        uint8_t edges = RASTER_ALL_EDGES;
        if (shows_adjacent(state))
            places_with_adjacent(state, in_run, in_run + 1 == prims_of_run(state, run->count), place);
        else if (has_parts(state))
            edges = places_of_part(state, in_run, run->count, place);
        else
            places_of_prim(state, in_run, run->count, place);
        for (unsigned i = 0; i < count; i++) {
            uint32_t index;
            if (!read_index(ge, &page, run->first + place[i], &index))
                return false;
            index += state->index_offset;
            index = MAX2(MIN2(index, state->index_max), state->index_min);
            subgroup->prims[subgroup->prim_count][i] =
                (uint16_t)find_vertex(worker, state, slots_log2, index, instance, prim_id);
        }
        for (unsigned i = count; i < GE_PRIM_VERTICES; i++)
            subgroup->prims[subgroup->prim_count][i] = 0;
        subgroup->edges[subgroup->prim_count] = edges;
        subgroup->prim_id[subgroup->prim_count++] = prim_id;
        if (state->gs_split) {
            subgroup->gs_first = worker->gs_instance;
            worker->gs_instance = (worker->gs_instance + 1) % state->gs_instances;
            worker->batch_next += worker->gs_instance == 0;
            break;
        }
        worker->batch_next++;
        if (++local == ge->prims_per_instance) {
            local = 0;
            instance++;
        }
    }
    return true;
}

bool amd_ge_index_patches(struct ge *ge, struct ge_worker *worker)
{
    const struct ge_state *state = &ge->pipeline.ge;
    const struct ge_batch *batch = &ge->batches[worker->batch];
    struct ge_subgroup *subgroup = &worker->subgroup;
    struct ge_hull *hull = worker->hull;
    struct ge_index_page page = no_page;
    hull->patch_count = hull->vertex_count = 0;
    uint32_t instance = (uint32_t)(batch->first_prim / ge->prims_per_instance);
    uint64_t local = batch->first_prim % ge->prims_per_instance;
    while (hull->patch_count < batch->prim_count) {
        const struct ge_run *run = find_run(ge, local);
        const uint32_t first = run->first + (uint32_t)(local - run->first_prim) * state->hull.in_points;
        for (uint32_t i = 0; i < state->hull.in_points; i++) {
            uint32_t index;
            if (!read_index(ge, &page, first + i, &index))
                return false;
            index += state->index_offset;
            subgroup->vertex_id[hull->vertex_count] = MAX2(MIN2(index, state->index_max), state->index_min);
            subgroup->instance_id[hull->vertex_count++] = instance;
        }
        hull->prim_id[hull->patch_count++] = state->prim_id_base + (uint32_t)local;
        if (++local == ge->prims_per_instance) {
            local = 0;
            instance++;
        }
    }
    return true;
}
