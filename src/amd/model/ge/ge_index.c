/* From indices to primitives: restart, instances, and the reuse of a vertex within a subgroup. */
#include <string.h>

#include "amd/model/coherence.h"
#include "amd/model/ge/ge.h"
#include "util/bits.h"

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
    uint64_t prims = amd_ge_prims_of_run(&ge->pipeline.ge, count);
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

/* The vertices of an instance that are looked up for reuse. */
struct reuse {
    uint32_t stamp, instance_id, shift, mask;
};

static struct reuse reuse_of(const struct ge_worker *worker, unsigned slots_log2, uint32_t instance_id)
{
    return (struct reuse){
        .stamp = worker->stamp, .instance_id = instance_id, .shift = 32 - slots_log2, .mask = (1u << slots_log2) - 1};
}

/* From here on no vertex is found that was there before. */
static void forget_vertices(struct ge_worker *worker)
{
    if (++worker->stamp)
        return;
    memset(worker->reuse, 0, sizeof(worker->reuse)); /* of stamps that come again */
    worker->stamp = 1;
}

static void set_vertex(struct ge_subgroup *subgroup, uint32_t index, uint32_t vertex_id, uint32_t instance_id,
                       uint32_t prim_id)
{
    subgroup->vertex_id[index] = vertex_id;
    subgroup->instance_id[index] = instance_id;
    subgroup->vertex_prim_id[index] = prim_id;
}

static uint16_t add_vertex(struct ge_worker *worker, uint32_t vertex_id, uint32_t instance_id, uint32_t prim_id)
{
    const uint32_t index = worker->subgroup.vertex_count++;
    set_vertex(&worker->subgroup, index, vertex_id, instance_id, prim_id);
    return (uint16_t)index;
}

/* The vertex's place in the subgroup, which has room for it; appended if it is new. Which it is cannot be predicted by
 * the host, so all is written for both. */
static inline uint16_t find_vertex(struct ge_worker *worker, struct reuse reuse, uint32_t vertex_id, uint32_t prim_id)
{
    struct ge_subgroup *subgroup = &worker->subgroup;
    const uint64_t key = (uint64_t)reuse.stamp << 32 | vertex_id;
    uint32_t slot = vertex_id * 0x9e3779b1u >> reuse.shift;
    while (worker->reuse[slot].key != key && worker->reuse[slot].key >> 32 == reuse.stamp)
        slot = (slot + 1) & reuse.mask;
    const uint32_t next = subgroup->vertex_count, is_new = worker->reuse[slot].key != key;
    const uint16_t index = is_new ? (uint16_t)next : worker->reuse[slot].index;
    worker->reuse[slot].key = key;
    worker->reuse[slot].index = index;
    set_vertex(subgroup, next, vertex_id, reuse.instance_id, prim_id);
    subgroup->vertex_count = next + is_new;
    return index;
}

static inline uint32_t vertex_of_index(const struct ge_state *state, uint32_t index)
{
    return MAX2(MIN2(index + state->index_offset, state->index_max), state->index_min);
}

static void add_prim(struct ge_subgroup *subgroup, const uint16_t *vertices, unsigned count, uint8_t edges,
                     uint32_t prim_id)
{
    for (unsigned i = 0; i < GE_PRIM_VERTICES; i++)
        subgroup->prims[subgroup->prim_count][i] = i < count ? vertices[i] : 0;
    subgroup->edges[subgroup->prim_count] = edges;
    subgroup->prim_id[subgroup->prim_count++] = prim_id;
}

static bool index_prim(struct ge *ge, struct ge_worker *worker, struct ge_index_page *page, struct reuse reuse,
                       uint64_t local)
{
    const struct ge_state *state = &ge->pipeline.ge;
    const struct ge_run *run = find_run(ge, local);
    const unsigned count = amd_ge_vertices_of_prim(state);
    const uint32_t prim_id = state->prim_id_base + whole_of_part(ge, run, local);
    uint32_t place[GE_PRIM_VERTICES] = {0};
    uint16_t vertices[GE_PRIM_VERTICES];
    const uint8_t edges = amd_ge_places_of_prim(state, (uint32_t)(local - run->first_prim), run->count, place);
    for (unsigned i = 0; i < count; i++) {
        uint32_t index;
        if (!read_index(ge, page, run->first + place[i], &index))
            return false;
        index = vertex_of_index(state, index);
        vertices[i] = state->unshared ? add_vertex(worker, index, reuse.instance_id, prim_id)
                                      : find_vertex(worker, reuse, index, prim_id);
    }
    add_prim(&worker->subgroup, vertices, count, edges, prim_id);
    return true;
}

static bool is_plain_list(const struct ge *ge)
{
    const struct ge_state *state = &ge->pipeline.ge;
    return state->prim_type == AMD_PRIM_TYPE_TRILIST && ge->draw->indexed && ge->runs.count == 1 && !state->unshared &&
           !state->gs_split;
}

/* As many as `most` triangles of a plain list, from the one whose first index is number `at`: while their indices are
 * of one page and inside the buffer, and the subgroup has room. Returns how many. */
static uint32_t index_triangles(struct ge *ge, struct ge_worker *worker, const struct ge_index_page *page,
                                struct reuse reuse, uint32_t at, uint32_t most)
{
    const struct ge_state *state = &ge->pipeline.ge;
    struct ge_subgroup *subgroup = &worker->subgroup;
    const uint32_t size_B = state->index_B, first_prim_id = state->prim_id_base + at / 3;
    const uint64_t va = ge->draw->index_va + (uint64_t)(ge->runs.data[0].first + at) * size_B;
    if (va < page->first_va || va > page->last_va || ge->draw->index_available < ge->runs.data[0].first + at)
        return 0;
    const uint32_t here = (uint32_t)((page->last_va - va) / size_B) + 1,
                   left = ge->draw->index_available - ge->runs.data[0].first - at;
    const uint8_t *host = page->host + (va - page->first_va);
    uint32_t done = 0;
    most = MIN2(most, MIN2(here, left) / 3);
    for (; done < most && subgroup->vertex_count + 3 <= state->max_vertices; done++) {
        uint16_t vertices[3];
        for (unsigned i = 0; i < 3; i++, host += size_B)
            vertices[i] =
                find_vertex(worker, reuse, vertex_of_index(state, load_index(host, size_B)), first_prim_id + done);
        add_prim(subgroup, vertices, 3, RASTER_ALL_EDGES, first_prim_id + done);
    }
    return done;
}

bool amd_ge_index_subgroup(struct ge *ge, struct ge_worker *worker)
{
    const struct ge_state *state = &ge->pipeline.ge;
    const struct ge_batch *batch = &ge->batches[worker->batch];
    struct ge_subgroup *subgroup = &worker->subgroup;
    const unsigned count = amd_ge_vertices_of_prim(state), slots_log2 = reuse_slots_log2(state);
    const bool is_list = is_plain_list(ge);
    struct ge_index_page page = no_page;
    subgroup->vertex_count = subgroup->prim_count = subgroup->gs_first = 0;
    subgroup->gs_per_prim = state->gs_split ? 1 : state->gs_instances;
    subgroup->first_prim = batch->first_prim + worker->batch_next;
    forget_vertices(worker);
    uint32_t instance = (uint32_t)(subgroup->first_prim / ge->prims_per_instance), done;
    uint64_t local = subgroup->first_prim % ge->prims_per_instance;
    for (; worker->batch_next < batch->prim_count && subgroup->prim_count < state->max_prims; local += done) {
        if (local == ge->prims_per_instance) {
            local = 0;
            instance++;
            forget_vertices(worker);
        }
        if (subgroup->vertex_count + count > state->max_vertices)
            break; /* as the hardware does it: without a look at reuse */
        const struct reuse reuse = reuse_of(worker, slots_log2, instance);
        const uint64_t left = MIN2(ge->prims_per_instance - local, batch->prim_count - worker->batch_next);
        done = is_list ? index_triangles(ge, worker, &page, reuse, (uint32_t)local * 3,
                                         (uint32_t)MIN2(left, state->max_prims - subgroup->prim_count))
                       : 0;
        if (!done) {
            if (!index_prim(ge, worker, &page, reuse, local))
                return false;
            done = 1;
        }
        if (state->gs_split) {
            subgroup->gs_first = worker->gs_instance;
            worker->gs_instance = (worker->gs_instance + 1) % state->gs_instances;
            worker->batch_next += worker->gs_instance == 0;
            break;
        }
        worker->batch_next += done;
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
