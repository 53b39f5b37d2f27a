/* Indices: where the parts of a draw begin and end, and which vertices the primitives of a batch have. */
#include <string.h>

#include "mali/model/coherence.h"
#include "mali/model/tiler/tiler_internal.h"
#include "util/bits.h"

#define RUN_INDICES 8192 /* more than a batch has, but of a fan or a loop */

/* Beyond its end an index buffer has zeros. False: stopped. */
static bool read_index(const struct tiler_draw *draw, const struct tiler_piece *piece, uint32_t at, uint32_t *index_out)
{
    *index_out = at;
    if (!draw->index_B)
        return true;
    uint64_t place = (uint64_t)piece->draw.index_offset + at, va = draw->indices_va + place * draw->index_B;
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

static bool add_part(struct tiler_draw *draw, struct tiler_piece *piece, uint32_t first, uint32_t count)
{
    uint64_t prims = prims_of(draw->topology, count);
    if (!prims)
        return true;
    if (!array_push(&draw->parts, (struct tiler_part){first, count, piece->prims_per_instance}))
        return mali_stop(draw->queue, GPU_STOP_BROKEN, "the host has no memory for the draw");
    piece->prims_per_instance += prims;
    piece->part_count++;
    return true;
}

static bool add_piece(struct tiler_draw *draw, const struct mali_run_draw *own)
{
    const uint32_t restart = draw->index_B == 4 ? UINT32_MAX : (1u << (8 * draw->index_B)) - 1;
    struct tiler_piece piece = {*own, .first_part = draw->parts.count, .first_prim = draw->prim_total};
    uint32_t first = 0;
    stat_count(STAT_DRAWS);
    if (!own->index_count || !own->instance_count)
        return true;
    for (uint32_t at = 0; draw->index_B && draw->flags.PRIMITIVE_RESTART && at < own->index_count; at++) {
        uint32_t index;
        if (!read_index(draw, &piece, at, &index))
            return false;
        if (index != restart)
            continue;
        if (!add_part(draw, &piece, first, at - first))
            return false;
        first = at + 1;
    }
    if (!add_part(draw, &piece, first, own->index_count - first))
        return false;
    if (piece.part_count && !array_push(&draw->pieces, piece))
        return mali_stop(draw->queue, GPU_STOP_BROKEN, "the host has no memory for the draw");
    draw->prim_total += piece.prims_per_instance * own->instance_count;
    return true;
}

bool mali_tiler_find_pieces(struct tiler_draw *draw, const struct mali_run_draw *first)
{
    draw->pieces.count = draw->parts.count = 0;
    draw->prim_total = 0;
    bool is_ok = add_piece(draw, first);
    for (uint32_t i = 0; is_ok && i < draw->run->more_count; i++)
        is_ok = add_piece(draw, &draw->run->more[i]);
    return is_ok;
}

/* Of what is sorted by its first primitive, the last one that does not begin after `prim`. */
#define FIND_BY_PRIM(data, count, prim)                                                                                \
    ({                                                                                                                 \
        uint32_t low = 0, high = (count);                                                                              \
        while (high - low > 1) {                                                                                       \
            const uint32_t middle = (low + high) / 2;                                                                  \
            if ((data)[middle].first_prim <= (prim))                                                                   \
                low = middle;                                                                                          \
            else                                                                                                       \
                high = middle;                                                                                         \
        }                                                                                                              \
        &(data)[low];                                                                                                  \
    })

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

/* The vertices of primitives from `first` to `last` of a part, between their lowest and their highest place. */
static struct index_run find_run(const struct tiler_draw *draw, const struct tiler_piece *piece,
                                 const struct tiler_part *part, uint64_t first, uint64_t last)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (unsigned corner = 0; corner < draw->topology->vertices; corner++) {
        const uint32_t of_first = place_of(draw, part, first, corner), of_last = place_of(draw, part, last, corner);
        low = MIN2(low, MIN2(of_first, of_last));
        high = MAX2(high, MAX2(of_first, of_last));
    }
    const uint64_t place = (uint64_t)piece->draw.index_offset + low, count = (uint64_t)high - low + 1;
    if (!draw->index_B || draw->queue->coherence || count > RUN_INDICES || place + count > draw->index_limit)
        return (struct index_run){NULL, 0, 0};
    return (struct index_run){gpu_space_whole(draw->queue->space, draw->indices_va + place * draw->index_B,
                                              count * draw->index_B, GPU_PERM_READ),
                              low, (uint32_t)count};
}

static inline uint32_t index_at(const uint8_t *host, uint64_t at, unsigned index_B)
{
    uint16_t half;
    uint32_t word;
    if (index_B == 2) {
        memcpy(&half, host + 2 * at, sizeof(half));
        return half;
    }
    if (index_B == 4) {
        memcpy(&word, host + 4 * at, sizeof(word));
        return word;
    }
    return host[at];
}

static inline bool take_index(const struct tiler_draw *draw, const struct tiler_piece *piece,
                              const struct index_run *run, uint32_t at, uint32_t *index_out)
{
    const uint32_t in_run = at - run->first;
    if (!run->host || in_run >= run->count)
        return read_index(draw, piece, at, index_out);
    *index_out = index_at(run->host, in_run, draw->index_B);
    return true;
}

static inline uint16_t find_vertex(struct tiler_worker *worker, uint32_t vertex_id, uint32_t instance, uint32_t draw_id)
{
    uint32_t slot = (vertex_id * 2654435761u ^ instance * 40503u) % ARRAY_SIZE(worker->reuse);
    if (worker->reuse[slot].stamp == worker->stamp && worker->reuse[slot].vertex_id == vertex_id &&
        worker->reuse[slot].instance == instance)
        return worker->reuse[slot].number;
    uint16_t number = (uint16_t)worker->vertex_count++;
    worker->vertices[number] = (struct tiler_vertex){vertex_id, instance, draw_id};
    worker->reuse[slot].stamp = worker->stamp;
    worker->reuse[slot].vertex_id = vertex_id;
    worker->reuse[slot].instance = instance;
    worker->reuse[slot].number = number;
    return number;
}

/* The vertices of the primitives of one part. */
struct part_run {
    const struct tiler_piece *piece;
    const struct tiler_part *part;
    uint32_t instance;
    uint64_t first, end;
    struct index_run indices;
};

/* Lists and strips whose indices are in plain memory, or are none: every primitive begins a step after the one
 * before. */
static inline __attribute__((always_inline)) void gather_steps(const struct tiler_draw *draw,
                                                               struct tiler_worker *worker, const struct part_run *run,
                                                               uint32_t number, unsigned index_B)
{
    const struct tiler_topology *topology = draw->topology;
    const struct mali_run_draw own = run->piece->draw;
    const unsigned vertices = topology->vertices;
    uint64_t of_part = run->first - run->part->first_prim;
    for (uint64_t prim = run->first; prim < run->end; prim++, number++, of_part++) {
        const uint8_t *place = topology->place[draw->is_provoking_first ? 0 : 1][of_part & 1];
        const uint64_t at = run->part->first + of_part * topology->step;
        uint16_t *corners = worker->corners[number];
        worker->primitive[number] = (uint32_t)prim;
        for (unsigned c = 0; c < 3; c++) {
            if (c >= vertices) {
                corners[c] = corners[c - 1];
                continue;
            }
            const uint32_t index = index_B ? index_at(run->indices.host, at + place[c] - run->indices.first, index_B)
                                           : (uint32_t)at + place[c];
            corners[c] = find_vertex(worker, index + own.vertex_offset, run->instance, own.id);
        }
    }
}

/* Any others. */
static bool gather_any(const struct tiler_draw *draw, struct tiler_worker *worker, const struct part_run *run,
                       uint32_t number)
{
    const unsigned vertices = draw->topology->vertices;
    for (uint64_t prim = run->first; prim < run->end; prim++, number++) {
        uint16_t *corners = worker->corners[number];
        worker->primitive[number] = (uint32_t)prim;
        for (unsigned corner = 0; corner < 3; corner++) {
            uint32_t index;
            if (corner >= vertices) {
                corners[corner] = corners[corner - 1];
                continue;
            }
            if (!take_index(draw, run->piece, &run->indices, place_of(draw, run->part, prim, corner), &index))
                return false;
            corners[corner] =
                find_vertex(worker, index + run->piece->draw.vertex_offset, run->instance, run->piece->draw.id);
        }
    }
    return true;
}

/* Primitives `first` to before `end` of an instance, all of one part. */
static bool gather_part(const struct tiler_draw *draw, struct tiler_worker *worker, const struct tiler_piece *piece,
                        const struct tiler_part *part, uint32_t instance, uint64_t first, uint64_t end, uint32_t number)
{
    const struct tiler_topology *topology = draw->topology;
    const struct part_run run = {piece, part, instance, first, end, find_run(draw, piece, part, first, end - 1)};
    if (topology->is_fan || topology->is_loop || topology->per_step != 1 || (draw->index_B && !run.indices.host))
        return gather_any(draw, worker, &run, number);
    switch (draw->index_B) {
    case 0:
        gather_steps(draw, worker, &run, number, 0);
        break;
    case 1:
        gather_steps(draw, worker, &run, number, 1);
        break;
    case 2:
        gather_steps(draw, worker, &run, number, 2);
        break;
    default:
        gather_steps(draw, worker, &run, number, 4);
        break;
    }
    return true;
}

/* `count` primitives of one piece from `from` on. */
static bool gather_piece(const struct tiler_draw *draw, struct tiler_worker *worker, const struct tiler_piece *piece,
                         uint64_t from, uint32_t count, uint32_t number)
{
    const struct tiler_part *parts = draw->parts.data + piece->first_part;
    for (uint32_t i = 0; i < count;) {
        const uint64_t prim = from + i, first = prim % piece->prims_per_instance;
        const uint32_t instance = (uint32_t)(prim / piece->prims_per_instance) + piece->draw.instance_offset;
        const struct tiler_part *part = FIND_BY_PRIM(parts, piece->part_count, first), *after = part + 1;
        const uint64_t of_part = after < parts + piece->part_count ? after->first_prim : piece->prims_per_instance;
        const uint64_t end = MIN2(of_part, first + (count - i));
        if (!gather_part(draw, worker, piece, part, instance, first, end, number + i))
            return false;
        i += (uint32_t)(end - first);
    }
    return true;
}

bool mali_tiler_gather(struct tiler_draw *draw, struct tiler_worker *worker, const struct tiler_batch *batch)
{
    const struct tiler_piece *piece = FIND_BY_PRIM(draw->pieces.data, draw->pieces.count, batch->first_prim);
    const struct tiler_piece *last = draw->pieces.data + draw->pieces.count - 1;
    worker->vertex_count = 0;
    for (uint32_t i = 0; i < batch->prim_count; piece++) {
        const uint64_t prim = batch->first_prim + i, end = piece < last ? piece[1].first_prim : draw->prim_total;
        const uint32_t count = (uint32_t)MIN2((uint64_t)(batch->prim_count - i), end - prim);
        worker->stamp++; /* a draw has vertices of its own */
        if (!gather_piece(draw, worker, piece, prim - piece->first_prim, count, i))
            return false;
        i += count;
    }
    return true;
}
