/* RUN_FRAGMENT: the tiles of a framebuffer on all workers. */
#include <stdlib.h>
#include <string.h>

#include "mali/model/frag/frag.h"
#include "model/stat.h"
#include "model/workers.h"
#include "util/bits.h"
#include "util/debug.h"

#define SPAN_SIDE 128       /* the height of a row of tiles in pixels: squares of superblocks have it, too */
#define SPAN_PIXELS 0x10000 /* at least */

struct job {
    struct workers_job base;
    const struct frag_fb *fb;
    struct mali_bins bins;
    bool has_bins;
    uint32_t first_x, first_y, columns; /* of tiles */
    uint32_t count;                     /* of tiles */
    _Atomic uint32_t next;
    struct frag_few few; /* if it has primitives, `count` is of spans first: */
    uint32_t span_w, span_h;
    uint32_t *drawn; /* then of these tiles, which no span could do as a whole; NULL: of all tiles, or still of spans */
    uint32_t *left;  /* room for them */
    _Atomic uint32_t left_count;
    unsigned worker_count;
    struct frag_worker *workers; /* by number; allocated when one has its first tile */
    unsigned own;                /* the core that the queue's own thread has borrowed */
    bool has_own;
};

/* ---- workers ---- */

static void worker_finish(struct frag_worker *w)
{
    free(w->colors);
    free(w->z);
    free(w->s);
    free(w->draws);
    free(w->walked);
}

static bool worker_init(struct frag_worker *w, const struct frag_fb *fb, unsigned number)
{
    const size_t cells = (size_t)fb->tile_w * fb->tile_h * fb->samples;
    w->fb = fb;
    w->colors = malloc(MAX2(fb->colors_B, (size_t)1));
    w->z = malloc(cells * sizeof(*w->z));
    w->s = malloc(cells);
    w->draws = malloc(FRAG_DRAW_CACHE * sizeof(*w->draws));
    w->walked = malloc((size_t)fb->tile_w * fb->tile_h * fb->halves *
                       sizeof(*w->walked)); /* blocks at the rim count as whole */
    w->core = mali_sc_core(fb->queue, number);
    if (!w->colors || !w->z || !w->s || !w->draws || !w->walked || !w->core)
        return mali_stop(fb->queue, GPU_STOP_UNIMPLEMENTED, "no memory for a tile");
    for (unsigned i = 0; i < FRAG_DRAW_CACHE; i++)
        w->draws[i].serial = 0; /* of no draw; all else is written when one is read */
    return true;
}

/* ---- draws ---- */

struct frag_draw *mali_frag_find_draw(struct frag_worker *w, uint64_t serial, const uint32_t words[MALI_DRAW_DW])
{
    struct frag_draw *draw = &w->draws[serial % FRAG_DRAW_CACHE];
    if (draw->serial == serial)
        return draw;
    if (draw == w->draw && !mali_frag_end_draw(w))
        return NULL;
    draw->serial = 0;
    if (!mali_frag_read_draw(draw, w->fb, words))
        return NULL;
    draw->serial = serial;
    return draw;
}

const struct frag_draw *mali_frag_find_frame_draw(struct frag_worker *w, unsigned number)
{
    uint32_t words[MALI_DRAW_DW];
    const uint64_t va = w->fb->frame_draws_va + sizeof(words) * number;
    if (!mali_read(w->fb->queue, "frame shader's draw", va, words, sizeof(words)))
        return NULL;
    return mali_frag_find_draw(w, FRAG_FRAME_DRAW(number), words);
}

static bool frame_draw(struct frag_worker *w, unsigned number)
{
    const struct frag_draw *draw = mali_frag_find_frame_draw(w, number);
    return draw && mali_frag_draw_prim(w, draw, NULL) && mali_frag_end_draw(w);
}

/* Which frame draws run in this tile: always, or only where something is drawn. */
static bool frame_draws(struct frag_worker *w, unsigned first, unsigned end, bool is_used)
{
    for (unsigned i = first; i < end; i++) {
        const unsigned mode = w->fb->frame_modes[i];
        if (mode == MALI_FRAME_SHADER_MODE_NEVER || (mode == MALI_FRAME_SHADER_MODE_INTERSECT && !is_used))
            continue;
        if (!frame_draw(w, i))
            return false;
    }
    return true;
}

/* ---- tiles that are drawn over ---- */

/* Primitives that come after one of a single colour: up to the first that has a pixel here. False: stopped. */
static bool skip_outside(struct frag_worker *w, struct mali_bin_walk *walk, bool *has_prim)
{
    while ((*has_prim = mali_bin_walk_next(walk))) {
        const struct frag_draw *draw = mali_frag_find_draw(w, walk->draw.serial, walk->draw.words);
        if (!draw)
            return false;
        if (!mali_frag_is_outside(w, draw, &walk->prim))
            return true;
    }
    return true;
}

/* Work before the primitives that are left. False: stopped, or (is_filled) nothing is left to do. */
static bool begin_tile(struct frag_worker *w, struct mali_bin_walk *walk, bool *has_prim)
{
    enum frag_over over = FRAG_OVER_NOT;
    mali_frag_begin(w);
    w->has_work |= *has_prim;
    for (bool is_first = *has_prim && mali_frag_can_hide(w); is_first && *has_prim;
         is_first = over == FRAG_OVER_OUTSIDE) {
        const struct frag_draw *draw = mali_frag_find_draw(w, walk->draw.serial, walk->draw.words);
        if (!draw || !mali_frag_draw_over(w, draw, &walk->prim, &over))
            return false;
        if (over == FRAG_OVER_OUTSIDE)
            *has_prim = mali_bin_walk_next(walk);
    }
    if (over != FRAG_OVER_DRAWN && over != FRAG_OVER_SOLID)
        mali_frag_clear(w);
    if (over != FRAG_OVER_DRAWN && over != FRAG_OVER_SOLID)
        return !mali_is_stopped(w->fb->queue) && frame_draws(w, 0, 2, w->has_work);
    if (over == FRAG_OVER_DRAWN) {
        *has_prim = mali_bin_walk_next(walk);
        return true;
    }
    if (!skip_outside(w, walk, has_prim))
        return false;
    if (!*has_prim && w->fb->can_fill && w->fb->frame_modes[2] == MALI_FRAME_SHADER_MODE_NEVER) {
        w->is_filled = mali_frag_end_draw(w) && !mali_is_stopped(w->fb->queue) && mali_frag_fill_solid(w);
        return false;
    }
    mali_frag_clear_solid(w);
    return true;
}

/* ---- tiles ---- */

static bool mali_frag_tile(struct frag_worker *w, const struct mali_bins *bins)
{
    struct mali_bin_walk walk;
    bool has_prim = false;
    if (bins) {
        mali_bin_walk_begin(&walk, bins, &w->tile);
        has_prim = mali_bin_walk_next(&walk);
    }
    if (mali_is_stopped(w->fb->queue))
        return false;
    w->is_filled = !has_prim && w->fb->can_fill && !mali_frag_has_frame_draw(w->fb) && !mali_is_killed(w->fb->queue);
    if (w->is_filled)
        return mali_frag_fill(w);
    if (!begin_tile(w, &walk, &has_prim))
        return w->is_filled;
    if (STAT_ON)
        mali_frag_count_loads(w);
    for (; has_prim && !mali_is_killed(w->fb->queue); has_prim = mali_bin_walk_next(&walk)) {
        const struct frag_draw *draw = mali_frag_find_draw(w, walk.draw.serial, walk.draw.words);
        w->has_work = true;
        if (!draw || !mali_frag_draw_prim(w, draw, &walk.prim))
            return false;
    }
    if (!mali_frag_end_draw(w) || mali_is_stopped(w->fb->queue) || !frame_draws(w, 2, 3, w->has_work))
        return false;
    if (mali_is_killed(w->fb->queue))
        return mali_stop(w->fb->queue, GPU_STOP_KILLED, "killed here");
    return mali_frag_writeback(w);
}

static void set_tile(struct frag_worker *w, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    w->tile = (struct raster_tile){
        .x = (int32_t)x,
        .y = (int32_t)y,
        .width = (int32_t)MIN2(width, w->fb->width - x),
        .height = (int32_t)MIN2(height, w->fb->height - y),
    };
    w->has_work = false;
}

static bool run_tile(struct job *job, struct frag_worker *w, uint32_t number)
{
    const struct frag_fb *fb = job->fb;
    set_tile(w, (job->first_x + number % job->columns) * fb->tile_w,
             (job->first_y + number / job->columns) * fb->tile_h, fb->tile_w, fb->tile_h);
    return mali_frag_tile(w, job->has_bins ? &job->bins : NULL);
}

/* A span has more or less to draw, and a small frame is a single one: its tiles go to all workers. */
static bool leave_tile(struct job *job, uint32_t x, uint32_t y)
{
    const uint32_t column = x / job->fb->tile_w - job->first_x, row = y / job->fb->tile_h - job->first_y;
    job->left[atomic_fetch_add_explicit(&job->left_count, 1, memory_order_relaxed)] = row * job->columns + column;
    return true;
}

/* Tiles, if they can be as a whole; else in halves. */
static bool run_part(struct job *job, struct frag_worker *w, uint32_t x, uint32_t y, uint32_t width, uint32_t height)
{
    const struct frag_fb *fb = job->fb;
    bool is_done;
    if (x >= (uint32_t)fb->box[2] || y >= (uint32_t)fb->box[3])
        return true;
    set_tile(w, x, y, width, height);
    if (!mali_frag_over_rect(w, &job->few, &is_done))
        return false;
    w->is_whole &= is_done;
    if (is_done || (width == fb->tile_w && height == fb->tile_h))
        return is_done || leave_tile(job, x, y);
    if (width > height)
        return run_part(job, w, x, y, width / 2, height) && run_part(job, w, x + width / 2, y, width / 2, height);
    return run_part(job, w, x, y, width, height / 2) && run_part(job, w, x, y + height / 2, width, height / 2);
}

/* A draw that was begun ends with the turn: the next one may find another job's on the core. */
static bool run_span(struct job *job, struct frag_worker *w, uint32_t number)
{
    w->is_whole = true;
    return run_part(job, w, job->first_x * job->fb->tile_w, job->first_y * job->fb->tile_h + number * job->span_h,
                    job->span_w, job->span_h) &&
           mali_frag_end_draw(w);
}

static bool run_number(struct job *job, struct frag_worker *w, uint32_t number)
{
    if (job->drawn)
        return run_tile(job, w, job->drawn[number]);
    return job->few.count ? run_span(job, w, number) : run_tile(job, w, number);
}

#define TURN_TILES 32 /* that only take a fill, one after the other */

#define STEP_TILES 16 /* at most that are drawn one after the other */

/* Spans that are fills or copies take the memory's time: a core is quickest where it goes on from where it was, and all
 * are to end at the same time. So it is with the tiles that they leave, but these take longer. */
static uint32_t step_of(struct job *job, const struct frag_worker *w)
{
    const uint32_t next = atomic_load_explicit(&job->next, memory_order_relaxed);
    const uint32_t share = next < job->count ? (job->count - next) / (2 * MAX2(job->worker_count, 1u)) : 0;
    if (job->drawn)
        return MIN2(MAX2(share / 4, 1u), (uint32_t)STEP_TILES);
    return w->is_whole ? MAX2(share, 1u) : 1;
}

static bool take_turn(struct workers_job *base, unsigned worker)
{
    struct job *job = container_of(base, struct job, base);
    struct frag_worker *w = &job->workers[MIN2(worker, job->worker_count)];
    for (unsigned i = 0; i < TURN_TILES; i++) {
        if (mali_is_stopped(job->fb->queue))
            return false;
        const uint32_t step = step_of(job, w), first = atomic_fetch_add(&job->next, step),
                       end = MIN2(first + step, job->count);
        if (first >= job->count)
            return false;
        if (!w->fb && !worker_init(w, job->fb, worker))
            return false;
        for (uint32_t number = first; number < end; number++) {
            if (!run_number(job, w, number))
                return false;
        }
        mali_progress(job->fb->queue);
        if (!w->is_filled)
            break;
    }
    return true;
}

/* ---- the endpoint ---- */

/* One tile is not worth waking the workers for. */
static void run_turns(struct job *job)
{
    struct mali_gpu *gpu = job->fb->queue->gpu;
    job->base.units = job->count;
    if (job->count == 1 && !job->has_own)
        job->has_own = mali_sc_borrow(gpu, &job->own);
    if (job->count > 1 || !job->has_own) {
        workers_run(gpu->workers, &job->base);
        return;
    }
    const unsigned before = stat_enter(STAT_PIXELS);
    while (take_turn(&job->base, job->own))
        ;
    stat_leave(before);
}

/* Runs the tiles that spans have left. */
static void run_left(struct job *job)
{
    job->drawn = job->left;
    job->count = atomic_load(&job->left_count);
    atomic_store(&job->next, 0);
    if (job->count && !mali_is_stopped(job->fb->queue))
        run_turns(job);
}

static bool run_tiles(struct job *job)
{
    struct mali_gpu *gpu = job->fb->queue->gpu;
    job->base.stage = STAT_PIXELS;
    job->worker_count = workers_count(gpu->workers);
    job->workers = calloc(job->worker_count + 1, sizeof(*job->workers)); /* the last one is the queue's own thread */
    if (!job->workers)
        return mali_stop(job->fb->queue, GPU_STOP_UNIMPLEMENTED, "no memory for tiles");
    run_turns(job);
    if (job->few.count)
        run_left(job);
    for (unsigned i = 0; i <= job->worker_count; i++)
        worker_finish(&job->workers[i]);
    free(job->workers);
    if (job->has_own)
        mali_sc_give_back(gpu, job->own);
    return !mali_is_stopped(job->fb->queue);
}

/* Frames of a few large primitives, as clears and copies are, in rows of tiles. */
static void find_spans(struct job *job)
{
    const struct frag_fb *fb = job->fb;
    if (!job->has_bins || fb->tile_w != fb->tile_h || job->count < 4)
        return;
    job->few.count = mali_bins_few(&job->bins, &job->few.bins);
    if (!job->few.count)
        return;
    job->left = malloc(job->count * sizeof(*job->left));
    if (!job->left)
        job->few.count = 0; /* tile by tile, then */
    if (!job->left)
        return;
    for (job->span_w = fb->tile_w; job->first_x * fb->tile_w + job->span_w < (uint32_t)fb->box[2];)
        job->span_w *= 2;
    for (job->span_h = MAX2(fb->tile_h, SPAN_SIDE); job->span_w * job->span_h < SPAN_PIXELS;)
        job->span_h *= 2;
    job->count = div_round_up((uint32_t)fb->box[3] - job->first_y * fb->tile_h, job->span_h);
}

bool mali_frag_run(struct mali_run *run)
{
    struct frag_fb fb;
    struct job job = {.base = {.turn = take_turn, .owner = run->queue->group, .is_shared = true}, .fb = &fb};
    if (!mali_frag_read_fb(&fb, run))
        return false;
    if (fb.box[0] >= fb.box[2] || fb.box[1] >= fb.box[3])
        return true;
    if (fb.tiler_va && !mali_bins_open(&job.bins, run->queue, fb.tiler_va, fb.layer))
        return false;
    job.has_bins = fb.tiler_va != 0;
    if (!job.has_bins && fb.can_fill && !mali_frag_has_frame_draw(&fb) && !mali_is_killed(run->queue))
        return mali_frag_run_empty(&fb);
    job.bins.depth_exponent = fb.z_internal == MALI_Z_INTERNAL_FORMAT_D16   ? -16
                              : fb.z_internal == MALI_Z_INTERNAL_FORMAT_D32 ? -23
                                                                            : -24;
    job.bins.depth_is_float = fb.z_internal == MALI_Z_INTERNAL_FORMAT_D32;
    job.first_x = (uint32_t)fb.box[0] / fb.tile_w;
    job.first_y = (uint32_t)fb.box[1] / fb.tile_h;
    job.columns = ((uint32_t)fb.box[2] - 1) / fb.tile_w + 1 - job.first_x;
    job.count = job.columns * (((uint32_t)fb.box[3] - 1) / fb.tile_h + 1 - job.first_y);
    find_spans(&job);
    const bool is_ok = !mali_is_stopped(run->queue) && run_tiles(&job);
    free(job.left);
    return is_ok;
}

bool mali_frag_create(struct mali_gpu *gpu)
{
    return true;
}

void mali_frag_destroy(struct mali_gpu *gpu)
{
}
