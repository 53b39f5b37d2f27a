/* Indices: where the parts of a draw begin and end, and which vertices the primitives of a batch have. */
#include <string.h>

#include "mali/model/coherence.h"
#include "mali/model/tiler/tiler_internal.h"
#include "util/bits.h"

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
static uint32_t place_of(const struct tiler_draw *draw, const struct tiler_part *part, uint64_t prim, unsigned corner)
{
    const struct tiler_topology *topology = draw->topology;
    uint64_t number = prim - part->first_prim;
    uint8_t place = topology->place[draw->is_provoking_first ? 0 : 1][number & 1][corner];
    uint64_t first = number / topology->per_step * topology->step;
    if (topology->is_fan && place == 0)
        return part->first;
    if (topology->is_loop)
        return part->first + (uint32_t)((number + place) % part->count);
    return part->first + (uint32_t)(first + place);
}

static uint16_t find_vertex(struct tiler_worker *worker, uint32_t vertex_id, uint32_t instance)
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

bool mali_tiler_gather(struct tiler_draw *draw, struct tiler_worker *worker, const struct tiler_batch *batch)
{
    worker->vertex_count = 0;
    worker->stamp++;
    for (uint32_t i = 0; i < batch->prim_count; i++) {
        uint64_t prim = batch->first_prim + i, in_instance = prim % draw->prims_per_instance;
        uint32_t instance = (uint32_t)(prim / draw->prims_per_instance) + draw->instance_offset;
        const struct tiler_part *part = part_of(draw, in_instance);
        worker->primitive[i] = (uint32_t)in_instance;
        for (unsigned corner = 0; corner < 3; corner++) {
            uint32_t index;
            if (corner >= draw->topology->vertices) {
                worker->corners[i][corner] = worker->corners[i][corner - 1];
                continue;
            }
            if (!read_index(draw, place_of(draw, part, in_instance, corner), &index))
                return false;
            worker->corners[i][corner] = find_vertex(worker, index + draw->vertex_offset, instance);
        }
    }
    return true;
}
