/* From indices to primitives: topologies, restart, instances and views, and the reuse of a vertex within a batch. */
#include <string.h>

#include "adreno/hw/regs_pc.h"
#include "adreno/model/coherence.h"
#include "adreno/model/pc/pc.h"
#include "util/bits.h"

/* Adjacent vertices are for geometry shaders; without one they are skipped. A rectangle has two vertices, its corners;
 * pc_vertex.c makes the others. */
static const struct pc_topology topologies[] = {
    [ADRENO_PRIM_TYPE_POINTLIST_PSIZE] = {RASTER_POINT, 1, 1, 1},
    [ADRENO_PRIM_TYPE_POINTLIST] = {RASTER_POINT, 1, 1, 1},
    [ADRENO_PRIM_TYPE_LINELIST] = {RASTER_LINE, 2, 2, 2, .first = {{0, 1}, {0, 1}}, .last = {{0, 1}, {0, 1}}},
    [ADRENO_PRIM_TYPE_LINESTRIP] = {RASTER_LINE, 2, 2, 1, .first = {{0, 1}, {0, 1}}, .last = {{0, 1}, {0, 1}}},
    [ADRENO_PRIM_TYPE_LINELOOP] = {RASTER_LINE, 2, 2, 1, .is_loop = true, .first = {{0, 1}, {0, 1}},
                                   .last = {{0, 1}, {0, 1}}},
    [ADRENO_PRIM_TYPE_LINE_ADJ] = {RASTER_LINE, 2, 4, 4, .is_adjacent = true, .first = {{1, 2}, {1, 2}},
                                   .last = {{1, 2}, {1, 2}}},
    [ADRENO_PRIM_TYPE_LINESTRIP_ADJ] = {RASTER_LINE, 2, 4, 1, .is_adjacent = true, .first = {{1, 2}, {1, 2}},
                                        .last = {{1, 2}, {1, 2}}},
    [ADRENO_PRIM_TYPE_TRILIST] = {RASTER_TRIANGLE, 3, 3, 3, .first = {{0, 1, 2}, {0, 1, 2}},
                                  .last = {{0, 1, 2}, {0, 1, 2}}},
    [ADRENO_PRIM_TYPE_TRISTRIP] = {RASTER_TRIANGLE, 3, 3, 1, .first = {{0, 1, 2}, {0, 2, 1}},
                                   .last = {{0, 1, 2}, {1, 0, 2}}},
    [ADRENO_PRIM_TYPE_TRIFAN] = {RASTER_TRIANGLE, 3, 3, 1, .is_fan = true, .first = {{1, 2, 0}, {1, 2, 0}},
                                 .last = {{0, 1, 2}, {0, 1, 2}}},
    [ADRENO_PRIM_TYPE_TRI_ADJ] = {RASTER_TRIANGLE, 3, 6, 6, .is_adjacent = true, .first = {{0, 2, 4}, {0, 2, 4}},
                                  .last = {{0, 2, 4}, {0, 2, 4}}},
    [ADRENO_PRIM_TYPE_TRISTRIP_ADJ] = {RASTER_TRIANGLE, 3, 6, 2, .is_adjacent = true, .first = {{0, 2, 4}, {0, 4, 2}},
                                       .last = {{0, 2, 4}, {2, 0, 4}}},
    [ADRENO_PRIM_TYPE_RECTLIST] = {RASTER_RECT, 2, 2, 2, .first = {{0, 1}, {0, 1}}, .last = {{0, 1}, {0, 1}}},
};

static void read_views(struct pc_state *state, const struct adreno_gpu *gpu)
{
    struct adreno_PC_STEREO_RENDERING_CNTL cntl =
        adreno_unpack_PC_STEREO_RENDERING_CNTL(gpu->regs[ADRENO_REG_PC_STEREO_RENDERING_CNTL]);
    uint32_t mask =
        gpu->chip->has_multiview_mask ? gpu->regs[ADRENO_REG_PC_STEREO_RENDERING_VIEWMASK] & 0xffff : 0xffff;
    state->view_count = 0;
    for (unsigned view = 0; cntl.ENABLE && view < MIN2(cntl.VIEWS, PC_MAX_VIEWS); view++) {
        if (mask >> view & 1)
            state->views[state->view_count++] = (uint8_t)view;
    }
    if (!cntl.ENABLE) {
        state->views[0] = 0;
        state->view_count = 1;
    }
}

bool adreno_pc_state_init(struct adreno_pc *pc)
{
    const struct adreno_draw *draw = pc->draw;
    struct adreno_gpu *gpu = pc->gpu;
    struct pc_state *state = &pc->state;
    struct adreno_PC_CNTL cntl = adreno_unpack_PC_CNTL(gpu->regs[ADRENO_REG_PC_CNTL]);
    const bool is_patch = draw->topology > ADRENO_PRIM_TYPE_PATCHES0;
    if (is_patch != draw->has_tess)
        return adreno_stop(gpu, ADRENO_STOP_BROKEN, "a draw of PRIM_TYPE %u %s a tessellator", draw->topology,
                           draw->has_tess ? "with" : "without");
    if (!is_patch && (draw->topology >= ARRAY_SIZE(topologies) || !topologies[draw->topology].kind))
        return adreno_stop(gpu, ADRENO_STOP_UNIMPLEMENTED, "a draw of PRIM_TYPE %u", draw->topology);
    const uint8_t points = (uint8_t)(draw->topology - ADRENO_PRIM_TYPE_PATCHES0);
    state->patches = (struct pc_topology){RASTER_TRIANGLE, points, points, points, .is_patch = true};
    state->topology = is_patch ? &state->patches : &topologies[draw->topology];
    state->is_indexed = draw->source == ADRENO_SRC_SEL_DMA;
    if (draw->source == ADRENO_SRC_SEL_IMMEDIATE)
        return adreno_stop(gpu, ADRENO_STOP_UNIMPLEMENTED, "a draw with indices in its packet");
    if (state->is_indexed && draw->index_size > ADRENO_INDEX_SIZE_32_BIT)
        return adreno_stop(gpu, ADRENO_STOP_BROKEN, "a draw with INDEX_SIZE %u", draw->index_size);
    state->index_B = 1u << draw->index_size;
    state->has_restart = cntl.PRIMITIVE_RESTART && state->is_indexed;
    /* The register has 32 bits: of smaller indices the low ones count. */
    state->restart_index = gpu->regs[ADRENO_REG_PC_RESTART_INDEX] & (uint32_t)bits_mask(state->index_B * 8);
    state->provoking_last = cntl.PROVOKING_VTX_LAST;
    state->shares_vertices = pc->vfd.prim_id_reg == ADRENO_NO_REG && !draw->has_gs && !is_patch;
    state->inputs = draw->has_gs && state->topology->is_adjacent ? state->topology->least : state->topology->vertices;
    state->kind = state->topology->kind;
    state->vertices = state->topology->vertices;
    state->round_batches = PC_ROUND_BATCHES;
    state->batch_prims = MIN2(PC_BATCH_PRIMS, PC_MAX_VERTICES / MAX2(state->inputs, 1u));
    read_views(state, gpu);
    return true;
}

static uint64_t prims_of_run(const struct pc_topology *topology, uint32_t count)
{
    if (count < topology->least)
        return 0;
    return topology->is_loop ? count : (uint64_t)(count - topology->least) / topology->step + 1;
}

/* Of one, two or four bytes; a copy of so few by a call takes longer than all the rest. */
static uint32_t load_index(const void *host, uint32_t size_B)
{
    uint16_t two;
    uint32_t four;
    if (size_B == sizeof(two)) {
        memcpy(&two, host, sizeof(two));
        return two;
    }
    if (size_B == sizeof(four)) {
        memcpy(&four, host, sizeof(four));
        return four;
    }
    return *(const uint8_t *)host;
}

/* Index number `at` of the part; those after the buffer's end are 0. */
static bool read_index(struct adreno_pc *pc, const struct pc_part *part, uint32_t at, uint32_t *index_out)
{
    const uint32_t size_B = pc->state.index_B;
    if (part->host) {
        *index_out = load_index(part->host + (uint64_t)at * size_B, size_B);
        return true;
    }
    *index_out = at;
    if (!pc->state.is_indexed)
        return true;
    uint64_t number = (uint64_t)part->first_index + at;
    *index_out = 0;
    if (number >= part->max_indices)
        return true;
    uint64_t va = part->index_va + number * size_B;
    ADRENO_READS(pc->gpu->coherence, ADRENO_CLIENT_INDEX, va, size_B);
    const void *host = gpu_space_pointer(pc->gpu->space, va, size_B, GPU_PERM_READ);
    if (host)
        *index_out = load_index(host, size_B);
    else if (gpu_space_read(pc->gpu->space, va, index_out, size_B) != size_B)
        return adreno_fault(pc->gpu, "index fetch", va, size_B, false);
    return true;
}

static bool add_run(struct adreno_pc *pc, uint32_t part, uint32_t first, uint32_t count)
{
    uint64_t prims = prims_of_run(pc->state.topology, count);
    if (!prims)
        return true;
    const struct pc_run run = {.part = part, .first = first, .count = count, .first_prim = pc->prims_per_instance};
    if (!array_push(&pc->runs, run))
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "the host has no memory for the draw");
    pc->prims_per_instance += prims;
    return true;
}

/* Where the host has all indices of a part; NULL: they are looked up one by one. */
static const uint8_t *find_indices(const struct adreno_pc *pc, const struct pc_part *part)
{
    const uint32_t size_B = pc->state.index_B;
    if (!pc->state.is_indexed || !part->count || pc->gpu->coherence ||
        (uint64_t)part->first_index + part->count > part->max_indices)
        return NULL;
    return gpu_space_whole(pc->gpu->space, part->index_va + (uint64_t)part->first_index * size_B,
                           (uint64_t)part->count * size_B, GPU_PERM_READ);
}

static bool add_part(struct adreno_pc *pc, uint32_t number)
{
    struct pc_part *part = &pc->parts.data[number];
    uint32_t count = part->count, first = 0;
    part->host = find_indices(pc, part);
    part->first_prim = pc->prims_per_instance;
    for (uint32_t i = 0; pc->state.has_restart && i < count; i++) {
        uint32_t index;
        if (i % (1u << 16) == 0 && adreno_is_killed(pc->gpu))
            return adreno_stop(pc->gpu, ADRENO_STOP_KILLED, "killed while it looked for restarts");
        if (!read_index(pc, part, i, &index))
            return false;
        if (index != pc->state.restart_index)
            continue;
        if (!add_run(pc, number, first, i - first))
            return false;
        first = i + 1;
    }
    return add_run(pc, number, first, count - first);
}

bool adreno_pc_index_begin(struct adreno_pc *pc)
{
    pc->runs.count = 0;
    pc->prims_per_instance = 0;
    for (uint32_t i = 0; i < pc->parts.count; i++) {
        if (!add_part(pc, i))
            return false;
    }
    if (__builtin_mul_overflow(pc->prims_per_instance, (uint64_t)pc->draw->instance_count * pc->state.view_count,
                               &pc->prim_total))
        return adreno_stop(pc->gpu, ADRENO_STOP_BROKEN, "a draw of %u indices and %u instances", pc->draw->count,
                           pc->draw->instance_count);
    return true;
}

/* Most often it is that of the primitive before, or the next one. */
static const struct pc_run *find_run(const struct adreno_pc *pc, const struct pc_run *last, uint64_t prim)
{
    uint32_t low = 0, high = pc->runs.count;
    const struct pc_run *end = pc->runs.data + high;
    for (unsigned i = 0; last && last < end && last->first_prim <= prim && i < 2; i++, last++) {
        if (last + 1 == end || prim < last[1].first_prim)
            return last;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (pc->runs.data[middle].first_prim <= prim)
            low = middle;
        else
            high = middle;
    }
    return &pc->runs.data[low];
}

/* The place of a primitive's vertex in its run. */
static uint32_t place_of(const struct pc_state *state, const struct pc_run *run, uint32_t prim, unsigned vertex)
{
    const struct pc_topology *topology = state->topology;
    uint32_t offset = (state->provoking_last ? topology->last : topology->first)[prim & 1][vertex];
    if (topology->is_fan && offset == 0)
        return 0;
    uint32_t place = prim * topology->step + offset;
    return topology->is_loop && place == run->count ? 0 : place;
}

/* The place of a geometry shader's vertex among adjacent ones, which stand behind those whose edge they share. Of a
 * strip the first and the last triangle have neighbours of their own. */
static uint32_t adjacent_place(const struct pc_state *state, const struct pc_run *run, uint32_t prim, unsigned vertex)
{
    const struct pc_topology *topology = state->topology;
    if (topology->vertices == 2 || topology->step == 6)
        return prim * topology->step + vertex;
    const bool is_last = prim + 1 == prims_of_run(topology, run->count);
    const uint32_t base = prim * 2, before = prim ? base - 2 : 1, after = base + (is_last ? 5 : 6);
    const uint32_t even[6] = {base, before, base + 2, after, base + 4, base + 3};
    const uint32_t odd[6] = {base + 2, before, base, base + 3, base + 4, after};
    return (prim & 1 ? odd : even)[vertex];
}

/* Primitives of one run that are drawn for one instance and one view. */
struct piece {
    const struct pc_run *run;
    uint64_t number; /* in the draw, of the first of them */
    uint32_t in_run, count;
    uint32_t instance;
    uint8_t view;
};

/* From here on no vertex is found that is there already. */
static void forget_vertices(struct pc_worker *worker)
{
    if (++worker->stamp == 0) {
        memset(worker->reuse_key, 0, sizeof(worker->reuse_key));
        worker->stamp = 1;
    }
}

static uint16_t add_vertex(struct pc_worker *worker, const struct piece *piece, uint32_t vertex_id, uint32_t prim_id)
{
    struct pc_vertices *vertices = &worker->vertices;
    const uint32_t index = vertices->count++;
    vertices->vertex_id[index] = vertex_id;
    vertices->instance[index] = piece->instance;
    vertices->prim_id[index] = prim_id;
    vertices->view[index] = piece->view;
    return (uint16_t)index;
}

/* The vertex's place in the batch; appended if it is new. */
static inline uint16_t find_vertex(struct pc_worker *worker, const struct piece *piece, uint32_t vertex_id,
                                   uint32_t prim_id)
{
    const uint64_t key = (uint64_t)worker->stamp << 32 | vertex_id;
    uint32_t slot = (vertex_id * 0x9e3779b1u) >> (32 - 11);
    _Static_assert(PC_REUSE_SLOTS == 1 << 11 && PC_REUSE_SLOTS > PC_MAX_VERTICES, "the hash has 11 bits, and room");
    for (; worker->reuse_key[slot] >> 32 == worker->stamp; slot = (slot + 1) % PC_REUSE_SLOTS) {
        if (worker->reuse_key[slot] == key)
            return worker->reuse_index[slot];
    }
    worker->reuse_key[slot] = key;
    return worker->reuse_index[slot] = add_vertex(worker, piece, vertex_id, prim_id);
}

static bool index_corners(struct adreno_pc *pc, struct pc_worker *worker, const struct piece *piece, uint32_t in_run,
                          struct pc_prim *prim)
{
    const struct pc_state *state = &pc->state;
    const struct pc_run *run = piece->run;
    const struct pc_part *part = &pc->parts.data[run->part];
    for (unsigned i = 0; i < state->inputs; i++) {
        const uint32_t place = state->topology->is_patch ? in_run * state->inputs + i
                               : state->inputs > 3       ? adjacent_place(state, run, in_run, i)
                                                         : place_of(state, run, in_run, i);
        uint32_t index;
        if (!read_index(pc, part, run->first + place, &index))
            return false;
        const uint32_t vertex_id = index + part->index_offset;
        const uint16_t vertex = state->shares_vertices ? find_vertex(worker, piece, vertex_id, prim->id)
                                                       : add_vertex(worker, piece, vertex_id, prim->id);
        if (i < 3)
            prim->vertex[i] = vertex;
    }
    return true;
}

/* Of a list whose indices the host has, whichever vertex is the provoking one. */
static void index_triangle(const struct adreno_pc *pc, struct pc_worker *worker, const struct piece *piece,
                           uint32_t in_run, struct pc_prim *prim)
{
    const struct pc_part *part = &pc->parts.data[piece->run->part];
    const uint32_t size_B = pc->state.index_B;
    const uint8_t *host = part->host + (piece->run->first + (uint64_t)in_run * 3) * size_B;
    for (unsigned i = 0; i < 3; i++)
        prim->vertex[i] =
            find_vertex(worker, piece, load_index(host + i * size_B, size_B) + part->index_offset, prim->id);
}

static bool index_piece(struct adreno_pc *pc, struct pc_worker *worker, const struct piece *piece)
{
    const struct pc_run *run = piece->run;
    const struct pc_part *part = &pc->parts.data[run->part];
    const bool is_list =
        part->host && pc->state.shares_vertices && pc->state.topology == &topologies[ADRENO_PRIM_TYPE_TRILIST];
    const uint64_t end = piece->number + piece->count;
    for (uint64_t number = vsc_next_visible(&pc->vsc, piece->number, end); number < end;
         number = vsc_next_visible(&pc->vsc, number + 1, end)) {
        const uint32_t in_run = piece->in_run + (uint32_t)(number - piece->number);
        struct pc_prim *prim = &worker->prims[worker->prim_count++];
        prim->number = number;
        prim->id = (uint32_t)(run->first_prim + in_run - part->first_prim);
        prim->view = piece->view;
        if (is_list)
            index_triangle(pc, worker, piece, in_run, prim);
        else if (!index_corners(pc, worker, piece, in_run, prim))
            return false;
    }
    return true;
}

bool adreno_pc_index_batch(struct adreno_pc *pc, struct pc_worker *worker, const struct pc_batch *batch)
{
    const struct pc_state *state = &pc->state;
    const uint64_t end = batch->first_prim + batch->prim_count;
    uint64_t round = batch->first_prim / pc->prims_per_instance, local = batch->first_prim % pc->prims_per_instance;
    const struct pc_run *last = NULL;
    struct piece piece = {0};
    worker->vertices.count = worker->prim_count = 0;
    forget_vertices(worker);
    for (uint64_t number = batch->first_prim; number < end; number += piece.count, local += piece.count) {
        const bool is_next = local == pc->prims_per_instance; /* instance or view */
        if (is_next) {
            local = 0;
            round++;
        }
        const struct pc_run *run = find_run(pc, last, local);
        const uint64_t run_end = run + 1 == pc->runs.data + pc->runs.count ? pc->prims_per_instance : run[1].first_prim;
        piece = (struct piece){.run = run,
                               .number = number,
                               .in_run = (uint32_t)(local - run->first_prim),
                               .count = (uint32_t)MIN2(run_end - local, end - number),
                               .instance = (uint32_t)(round / state->view_count),
                               .view = state->views[round % state->view_count]};
        if (last && (is_next || last->part != run->part)) /* draws share no vertices */
            forget_vertices(worker);
        if (!index_piece(pc, worker, &piece))
            return false;
        last = run;
    }
    return true;
}
