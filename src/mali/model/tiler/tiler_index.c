/* Indices: where the parts of a draw begin and end, and which vertices the primitives of a batch have. */
#include <string.h>

#include "mali/model/coherence.h"
#include "mali/model/tiler/tiler_internal.h"
#include "util/bits.h"

#define RUN_INDICES 4096 /* more than a batch has, but of a fan or a loop */

/* Beyond its end an index buffer has zeros. False: stopped. */
static bool read_index(const struct tiler_draw *draw, uint32_t at, uint32_t *index_out)
{
    *index_out = at;
    if (!draw->index_B)
        return true;
    uint64_t place = draw->index_offset + at, va = draw->indices_va + place * draw->index_B;
    if (place >= draw->index_limit) {
        *index_out = 0;
        return true;
    }
    MALI_READS(draw->queue, MALI_CLIENT_TILER, va, draw->index_B);
    uint8_t byte = 0;
    uint16_t half = 0;
    bool is_ok;
    switch (draw->index_B) {
    case 1:
        is_ok = gpu_mem_read8(draw->queue->space, va, &byte);
        *index_out = byte;
        break;
    case 2:
        is_ok = gpu_mem_read16(draw->queue->space, va, &half);
        *index_out = half;
        break;
    default:
        is_ok = gpu_mem_read32(draw->queue->space, va, index_out);
        break;
    }
    return is_ok || mali_fault(draw->queue, "index fetch", va, draw->index_B, false);
}

static uint64_t prims_of(const struct tiler_topology *topology, uint32_t vertices)
{
    if (vertices < topology->least)
        return 0;
    if (topology->is_loop)
        return vertices;
    return ((vertices - topology->least) / topology->step + 1ull) * topology->per_step;
}

static bool add_part(struct tiler_draw *draw, uint32_t first, uint32_t count)
{
    uint64_t prims = prims_of(draw->topology, count);
    if (!prims)
        return true;
    if (!array_push(&draw->parts, (struct tiler_part){first, count, draw->prims_per_instance}))
        return mali_stop(draw->queue, GPU_STOP_BROKEN, "the host has no memory for the draw");
    draw->prims_per_instance += prims;
    return true;
}

bool mali_tiler_find_parts(struct tiler_draw *draw)
{
    const uint32_t restart = draw->index_B == 4 ? UINT32_MAX : (1u << (8 * draw->index_B)) - 1;
    uint32_t first = 0;
    draw->parts.count = 0;
    draw->prims_per_instance = 0;
    for (uint32_t at = 0; draw->index_B && draw->flags.PRIMITIVE_RESTART && at < draw->index_count; at++) {
        uint32_t index;
        if (!read_index(draw, at, &index))
            return false;
        if (index != restart)
            continue;
        if (!add_part(draw, first, at - first))
            return false;
        first = at + 1;
    }
    if (!add_part(draw, first, draw->index_count - first))
        return false;
    draw->prim_total = draw->prims_per_instance * draw->instance_count;
    return true;
}

static const struct tiler_part *part_of(const struct tiler_draw *draw, uint64_t prim)
{
    uint32_t low = 0, high = draw->parts.count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (draw->parts.data[middle].first_prim <= prim)
            low = middle;
        else
            high = middle;
    }
    return &draw->parts.data[low];
}

/* The place of a corner among the indices. */
static inline uint32_t place_of(const struct tiler_draw *draw, const struct tiler_part *part, uint64_t prim,
                                unsigned corner)
{
    const struct tiler_topology *topology = draw->topology;
    uint64_t number = prim - part->first_prim;
    uint8_t place = topology->place[draw->is_provoking_first ? 0 : 1][number & 1][corner];
    uint64_t first = (topology->per_step == 1 ? number : number / topology->per_step) * topology->step;
    if (topology->is_fan && place == 0)
        return part->first;
    if (topology->is_loop)
        return part->first + (uint32_t)((number + place) % part->count);
    return part->first + (uint32_t)(first + place);
}

/* Indices of a batch that lie in plain memory, one after the other. */
struct index_run {
    const uint8_t *host; /* NULL: they are read one by one */
    uint32_t first, count;
};

/* What primitives from `first` to `last` of a part have between their lowest and their highest place. */
static struct index_run find_run(const struct tiler_draw *draw, const struct tiler_part *part, uint64_t first,
                                 uint64_t last)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (unsigned corner = 0; corner < draw->topology->vertices; corner++) {
        const uint32_t of_first = place_of(draw, part, first, corner), of_last = place_of(draw, part, last, corner);
        low = MIN2(low, MIN2(of_first, of_last));
        high = MAX2(high, MAX2(of_first, of_last));
    }
    const uint64_t place = draw->index_offset + low, count = (uint64_t)high - low + 1;
    if (!draw->index_B || draw->queue->coherence || count > RUN_INDICES || place + count > draw->index_limit)
        return (struct index_run){NULL, 0, 0};
    return (struct index_run){gpu_space_whole(draw->queue->space, draw->indices_va + place * draw->index_B,
                                              count * draw->index_B, GPU_PERM_READ),
                              low, (uint32_t)count};
}

static inline bool take_index(const struct tiler_draw *draw, const struct index_run *run, uint32_t at,
                              uint32_t *index_out)
{
    const uint32_t in_run = at - run->first;
    uint16_t half;
    if (!run->host || in_run >= run->count)
        return read_index(draw, at, index_out);
    if (draw->index_B == 2) {
        memcpy(&half, run->host + 2 * (size_t)in_run, sizeof(half));
        *index_out = half;
    } else if (draw->index_B == 4) {
        memcpy(index_out, run->host + 4 * (size_t)in_run, sizeof(*index_out));
    } else {
        *index_out = run->host[in_run];
    }
    return true;
}

static inline uint16_t find_vertex(struct tiler_worker *worker, uint32_t vertex_id, uint32_t instance)
{
    uint32_t slot = (vertex_id * 2654435761u ^ instance * 40503u) % ARRAY_SIZE(worker->reuse);
    if (worker->reuse[slot].stamp == worker->stamp && worker->reuse[slot].vertex_id == vertex_id &&
        worker->reuse[slot].instance == instance)
        return worker->reuse[slot].number;
    uint16_t number = (uint16_t)worker->vertex_count++;
    worker->vertex_id[number] = vertex_id;
    worker->instance[number] = instance;
    worker->reuse[slot].stamp = worker->stamp;
    worker->reuse[slot].vertex_id = vertex_id;
    worker->reuse[slot].instance = instance;
    worker->reuse[slot].number = number;
    return number;
}

/* Primitives `first` to before `end` of an instance, all of one part. */
static bool gather_part(const struct tiler_draw *draw, struct tiler_worker *worker, const struct tiler_part *part,
                        uint32_t instance, uint64_t first, uint64_t end, uint32_t number)
{
    const struct index_run run = find_run(draw, part, first, end - 1);
    const unsigned vertices = draw->topology->vertices;
    for (uint64_t prim = first; prim < end; prim++, number++) {
        uint16_t *corners = worker->corners[number];
        worker->primitive[number] = (uint32_t)prim;
        for (unsigned corner = 0; corner < 3; corner++) {
            uint32_t index;
            if (corner >= vertices) {
                corners[corner] = corners[corner - 1];
                continue;
            }
            if (!take_index(draw, &run, place_of(draw, part, prim, corner), &index))
                return false;
            corners[corner] = find_vertex(worker, index + draw->vertex_offset, instance);
        }
    }
    return true;
}

bool mali_tiler_gather(struct tiler_draw *draw, struct tiler_worker *worker, const struct tiler_batch *batch)
{
    worker->vertex_count = 0;
    worker->stamp++;
    for (uint32_t i = 0; i < batch->prim_count;) {
        const uint64_t prim = batch->first_prim + i, first = prim % draw->prims_per_instance;
        const uint32_t instance = (uint32_t)(prim / draw->prims_per_instance) + draw->instance_offset;
        const struct tiler_part *part = part_of(draw, first), *after = part + 1;
        const uint64_t of_part =
            after < draw->parts.data + draw->parts.count ? after->first_prim : draw->prims_per_instance;
        const uint64_t end = MIN2(of_part, first + (batch->prim_count - i));
        if (!gather_part(draw, worker, part, instance, first, end, i))
            return false;
        i += (uint32_t)(end - first);
    }
    return true;
}
