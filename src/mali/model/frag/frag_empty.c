/* Frames in which nothing is drawn, as clears are: memory is filled in strips, without tiles. */
#include <stdlib.h>

#include "mali/model/frag/frag.h"
#include "mali/model/frag/frag_surface.h"
#include "model/stat.h"
#include "model/workers.h"
#include "util/bits.h"

#define STRIP_ROWS 128        /* squares of superblocks have as many */
#define ALONE_B (1024 * 1024) /* a core has filled that before another one is awake */

struct fill {
    struct workers_job base;
    const struct frag_fb *fb;
    unsigned worker_count;
    uint32_t first, count; /* strips: that of the first row, how many there are */
    _Atomic uint32_t next;
};

/* The bytes that a fill of the box writes; headers of AFBC are 16 bytes for 256 pixels. */
static uint64_t surface_B(const struct frag_fb *fb, uint8_t block_format, uint32_t pixel_B)
{
    const uint64_t pixels = (uint64_t)(fb->box[2] - fb->box[0]) * (uint64_t)(fb->box[3] - fb->box[1]) * fb->samples;
    return mali_frag_is_afbc(block_format) ? pixels / 16 : pixels * pixel_B;
}

static uint64_t all_B(const struct frag_fb *fb)
{
    uint64_t size_B = 0;
    for (unsigned t = 0; t < fb->target_count; t++) {
        if (fb->targets[t].is_written && fb->targets[t].writes_clean)
            size_B += surface_B(fb, fb->targets[t].block_format, fb->targets[t].pixel_B);
    }
    if (fb->zs_writes_clean && fb->z.is_written)
        size_B += surface_B(fb, fb->z.block_format, fb->z.pixel_B);
    return size_B + (fb->zs_writes_clean && fb->s.is_written ? surface_B(fb, fb->s.block_format, fb->s.pixel_B) : 0);
}

static bool fill_strips(const struct fill *fill, uint32_t first, uint32_t count)
{
    const int32_t *box = fill->fb->box, top = (int32_t)((fill->first + first) * STRIP_ROWS);
    const int32_t rect[4] = {box[0], MAX2(box[1], top), box[2], MIN2(box[3], top + (int32_t)(count * STRIP_ROWS))};
    const bool is_ok = mali_frag_fill_rect(fill->fb, rect);
    mali_progress(fill->fb->queue);
    return is_ok;
}

/* A core is quickest where it goes on from where it was, and all are to end at the same time. */
static bool take_turn(struct workers_job *base, unsigned worker)
{
    struct fill *fill = container_of(base, struct fill, base);
    uint32_t first = atomic_load_explicit(&fill->next, memory_order_relaxed), count;
    do {
        if (first >= fill->count || mali_is_stopped(fill->fb->queue))
            return false;
        count = MAX2((fill->count - first) / (2 * fill->worker_count), 1u);
    } while (!atomic_compare_exchange_weak(&fill->next, &first, first + count));
    return fill_strips(fill, first, count);
}

bool mali_frag_run_empty(const struct frag_fb *fb)
{
    struct workers *workers = fb->queue->gpu->workers;
    const uint32_t first = (uint32_t)fb->box[1] / STRIP_ROWS;
    struct fill fill = {.base = {.turn = take_turn, .owner = fb->queue->group, .stage = STAT_PIXELS, .is_shared = true},
                        .fb = fb,
                        .first = first,
                        .count = ((uint32_t)fb->box[3] - 1) / STRIP_ROWS + 1 - first};
    if (all_B(fb) > ALONE_B && fill.count > 1) {
        fill.worker_count = MAX2(workers_count(workers), 1u);
        fill.base.units = fill.count;
        workers_run(workers, &fill.base);
        return !mali_is_stopped(fb->queue);
    }
    const unsigned before = stat_enter(STAT_PIXELS);
    const bool is_ok = fill_strips(&fill, 0, fill.count);
    stat_leave(before);
    return is_ok;
}
