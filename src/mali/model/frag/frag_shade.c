/* From quads to warps: those of a tile are collected until a warp is full, the draw changes, or two of them would
 * draw the same pixel. */
#include <string.h>

#include "mali/model/coherence.h"
#include "mali/model/frag/frag.h"
#include "model/lanes.h"
#include "model/stat.h"
#include "util/bits.h"

/* ---- a warp ---- */

/* Is the register among those that are wanted? */
static bool has_register(uint32_t wanted, unsigned reg)
{
    return wanted >> (reg - 48) & 1;
}

/* Values that are the same in a primitive. */
static void preload_prims(struct frag_worker *w, struct mali_warp *warp)
{
    uint32_t *primitive = mali_warp_row(warp, FRAG_REG_PRIMITIVE), *face = mali_warp_row(warp, FRAG_REG_FACE);
    for (unsigned q = 0; q < w->quad_count; q++) {
        const uint32_t number = w->prims[w->quad_prims[q]].bin.primitive, is_back = w->quads[q].prim->is_back;
        for (unsigned p = 0; p < 4; p++) {
            primitive[4 * q + p] = number;
            face[4 * q + p] = is_back;
        }
    }
}

/* Coverage, the number of the sample, that of the first sample that is covered. */
static void preload_samples(const struct frag_worker *w, uint32_t *row, unsigned count)
{
    if (w->fb->samples == 1) {
        memcpy(row, w->samples, count * sizeof(*row));
        return;
    }
    for (unsigned lane = 0; lane < count; lane++) {
        const uint32_t samples = w->samples[lane], centroid = samples ? (uint32_t)__builtin_ctz(samples) : 0;
        row[lane] = samples | (uint32_t)w->quads[lane / 4].iteration << 16 | centroid << 24;
    }
}

static inline void set_places(uint32_t *row, unsigned x, unsigned y)
{
    const uint32_t first = x | (uint32_t)y << 16;
    const uint32_t places[4] = {first, first + 1, first + 0x10000, first + 0x10001};
    memcpy(row, places, sizeof(places));
}

void mali_frag_preload_frame(const struct frag_worker *w, struct mali_warp *warp, uint32_t wanted)
{
    for (unsigned i = 0; i < 2; i++) {
        if (has_register(wanted, FRAG_REG_FRAME + i))
            lanes_splat(mali_warp_row(warp, FRAG_REG_FRAME + i), (uint32_t)(w->fb->frame_argument >> 32 * i),
                        MALI_ROW_LANES);
    }
}

void mali_frag_preload(struct frag_worker *w, struct mali_warp *warp, uint32_t wanted)
{
    const unsigned count = 4 * w->quad_count;
    for (unsigned q = 0; q < w->quad_count && has_register(wanted, FRAG_REG_PLACE); q++)
        set_places(mali_warp_row(warp, FRAG_REG_PLACE) + 4 * q, w->quads[q].x, w->quads[q].y);
    if (has_register(wanted, FRAG_REG_PRIMITIVE) || has_register(wanted, FRAG_REG_FACE))
        preload_prims(w, warp);
    if (has_register(wanted, FRAG_REG_COVERAGE))
        memcpy(mali_warp_row(warp, FRAG_REG_COVERAGE), w->samples, count * sizeof(uint32_t));
    if (has_register(wanted, FRAG_REG_SAMPLE))
        preload_samples(w, mali_warp_row(warp, FRAG_REG_SAMPLE), count);
    mali_frag_preload_frame(w, warp, wanted);
}

void mali_frag_preload_block(const struct frag_worker *w, struct mali_warp *warp, uint32_t wanted,
                             const struct mali_bin_prim *prim, unsigned x, unsigned y)
{
    for (unsigned q = 0; q < FRAG_WARP_QUADS && has_register(wanted, FRAG_REG_PLACE); q++)
        set_places(mali_warp_row(warp, FRAG_REG_PLACE) + 4 * q, x + q % 4 * 2, y + q / 4 * 2);
    if (has_register(wanted, FRAG_REG_PRIMITIVE))
        lanes_splat(mali_warp_row(warp, FRAG_REG_PRIMITIVE), prim->primitive, MALI_ROW_LANES);
    if (has_register(wanted, FRAG_REG_FACE))
        lanes_splat(mali_warp_row(warp, FRAG_REG_FACE), prim->raster.is_back, MALI_ROW_LANES);
    for (unsigned reg = FRAG_REG_COVERAGE; reg <= FRAG_REG_SAMPLE; reg++) { /* of one sample */
        if (has_register(wanted, reg))
            lanes_splat(mali_warp_row(warp, reg), 1, MALI_ROW_LANES);
    }
    mali_frag_preload_frame(w, warp, wanted);
}

static void preload_registers(struct frag_worker *w, struct mali_warp *warp)
{
    const unsigned count = 4 * w->quad_count;
    uint32_t is_covered[MALI_ROW_LANES];
    mali_frag_preload(w, warp, warp->launch->preload | 1u << (FRAG_REG_PLACE - 48) | 1u << (FRAG_REG_COVERAGE - 48));
    for (unsigned lane = 0; lane < MALI_ROW_LANES; lane++)
        is_covered[lane] = w->samples[lane] ? UINT32_MAX : 0;
    const uint64_t covered = lanes_to_mask(is_covered, MALI_ROW_LANES) & bits_mask(count);
    warp->launched = bits_mask(count);
    warp->covered = covered;
    warp->user = w;
}

static bool shade_batch(struct frag_worker *w)
{
    struct mali_warp *warp = mali_sc_begin(w->core, &w->draw->launch);
    if (!warp)
        return mali_is_stopped(w->fb->queue)
                   ? false
                   : mali_stop(w->fb->queue, GPU_STOP_UNIMPLEMENTED, "no memory for a fragment warp");
    preload_registers(w, warp);
    if (!mali_sc_run(warp))
        return false;
    mali_progress(w->fb->queue); /* a tile of such warps takes its time */
    mali_frag_finish_zs(w, warp->covered & ~warp->discarded & warp->launched);
    return true;
}

/* Samples by lane of what the quads have: those that run, and those that may be written. */
static void spread_masks(struct frag_worker *w, const uint64_t *passed)
{
    const bool is_updated = w->draw->is_updated_early;
    uint32_t masks[FRAG_WARP_QUADS], allowed[FRAG_WARP_QUADS]; /* the lower halves: a byte a pixel */
    bool is_run = true;
    for (unsigned q = 0; q < w->quad_count; q++) {
        masks[q] = (uint32_t)w->quads[q].mask;
        allowed[q] = is_updated ? (uint32_t)passed[q] : UINT32_MAX;
        is_run &= w->quads[q].cell == w->quads[0].cell + 4 * q;
    }
    w->is_run = is_run;
    const uint8_t *samples = (const uint8_t *)masks, *passes = (const uint8_t *)allowed;
    for (unsigned lane = 0; lane < 4 * w->quad_count; lane++) {
        w->samples[lane] = samples[lane];
        w->passed_early[lane] = passes[lane];
    }
    for (unsigned lane = 0; w->fb->halves > 1 && lane < 4 * w->quad_count; lane++) {
        w->samples[lane] = mali_frag_pixel_samples(w->quads[lane / 4].mask, lane % 4);
        w->passed_early[lane] = mali_frag_pixel_samples(is_updated ? passed[lane / 4] : UINT64_MAX, lane % 4);
    }
}

/* Tests before the shader: quads that are left have any sample. */
static void test_early(struct frag_worker *w)
{
    const struct frag_draw *draw = w->draw;
    uint64_t passed[FRAG_WARP_QUADS];
    const bool is_tested = !draw->is_tested_first;
    unsigned kept = 0;
    for (unsigned q = 0; q < w->quad_count && !is_tested; q++)
        passed[q] = w->quads[q].mask;
    if (is_tested && (draw->is_killed_early || draw->is_updated_early))
        mali_frag_zs_test_batch(w, draw->is_updated_early, passed);
    for (unsigned q = 0; q < w->quad_count && is_tested && draw->is_killed_early; q++) {
        w->quads[q].mask = passed[q];
        if (!passed[q])
            continue;
        if (kept != q) {
            w->quads[kept] = w->quads[q];
            w->quad_prims[kept] = w->quad_prims[q];
            passed[kept] = passed[q];
        }
        kept++;
    }
    if (is_tested && draw->is_killed_early)
        w->quad_count = kept;
    spread_masks(w, passed);
}

bool mali_frag_run_quads(struct frag_worker *w)
{
    bool is_ok = true;
    if (w->quad_count) {
        w->zs_done = 0;
        w->has_weights = false;
        test_early(w);
        if (w->quad_count && w->draw->has_shader && !mali_frag_run_joined(w, &is_ok))
            is_ok = shade_batch(w);
    }
    w->quad_count = 0;
    return is_ok;
}

bool mali_frag_flush(struct frag_worker *w)
{
    const bool is_ok = w->packed.count ? mali_frag_run_packed(w) : mali_frag_run_quads(w);
    w->quad_count = w->packed.count = w->prim_count = 0;
    memset(w->pending, 0, sizeof(w->pending));
    return is_ok;
}

/* ---- quads ---- */

unsigned mali_frag_find_prim(struct frag_worker *w, const struct mali_bin_prim *prim)
{
    struct frag_prim *next = &w->prims[w->prim_count];
    if (w->prim_count && next[-1].serial == w->prim_serial)
        return w->prim_count - 1;
    if (next->serial != w->prim_serial) { /* else the batch before has left it there */
        next->serial = w->prim_serial;
        next->bin = *prim;
    }
    return w->prim_count++;
}

static inline bool add_quad(struct frag_worker *w, const struct frag_quad *quad, const struct mali_bin_prim *prim)
{
    const unsigned block = quad->cell / FRAG_BLOCK_PIXELS;
    const uint64_t pixels = mali_frag_quad_pixels(quad);
    /* Quads of per-sample shading are of one primitive: some are of one pixel, but none have a sample in common. */
    const bool overlaps = !w->draw->is_per_sample && (w->pending[block] & pixels);
    if (w->quad_count == FRAG_WARP_QUADS || overlaps) {
        if (!mali_frag_flush(w))
            return false;
    }
    const unsigned number = mali_frag_find_prim(w, prim);
    w->pending[block] |= pixels;
    w->quad_prims[w->quad_count] = (uint8_t)number;
    w->quads[w->quad_count] = *quad;
    w->quads[w->quad_count++].prim = &w->prims[number].bin.raster;
    return true;
}

static bool add_samples(struct frag_worker *w, const struct frag_quad *quad, const struct mali_bin_prim *prim)
{
    if (!w->draw->is_per_sample)
        return add_quad(w, quad, prim);
    for (unsigned s = 0; s < w->fb->samples; s++) {
        struct frag_quad one = *quad;
        one.mask &= 0x01010101ull << mali_frag_sample_bit(s);
        one.iteration = (uint8_t)s;
        if (one.mask && !add_quad(w, &one, prim))
            return false;
    }
    return true;
}

static inline struct frag_quad widen_quad(const struct frag_worker *w, const struct raster_quad *quad,
                                          const struct raster_quad *upper)
{
    return (struct frag_quad){
        .prim = quad->prim,
        .x = quad->x,
        .y = quad->y,
        .cell = (uint16_t)mali_frag_place(w->fb, quad->x - (unsigned)w->tile.x, quad->y - (unsigned)w->tile.y),
        .mask = quad->mask | (upper ? (uint64_t)upper->mask << 32 : 0),
        .coverage = quad->coverage | (upper ? (uint64_t)upper->coverage << 32 : 0),
    };
}

/* Quads that only samples of the upper half cover. */
static struct frag_quad lift_quad(const struct frag_worker *w, const struct raster_quad *quad)
{
    struct frag_quad lifted = widen_quad(w, quad, NULL);
    lifted.mask <<= 32;
    lifted.coverage <<= 32;
    return lifted;
}

/* Both halves of 16 samples: each quad once. */
bool mali_frag_add_halves(struct frag_worker *w, const struct raster_quads found[FRAG_HALVES],
                          const struct mali_bin_prim *prim)
{
    const struct raster_quad *upper[FRAG_SAMPLED_SIDE / 2][FRAG_SAMPLED_SIDE / 2] = {{NULL}};
    for (uint32_t q = 0; q < found[1].count; q++) {
        const struct raster_quad *quad = &found[1].quads[q];
        upper[(quad->y - w->tile.y) / 2][(quad->x - w->tile.x) / 2] = quad;
    }
    for (uint32_t q = 0; q < found[0].count; q++) {
        const struct raster_quad *quad = &found[0].quads[q];
        const struct raster_quad **other = &upper[(quad->y - w->tile.y) / 2][(quad->x - w->tile.x) / 2];
        const struct frag_quad both = widen_quad(w, quad, *other);
        *other = NULL;
        if (!add_samples(w, &both, prim))
            return false;
    }
    for (unsigned i = 0; i < FRAG_SAMPLED_SIDE * FRAG_SAMPLED_SIDE / 4; i++) {
        const struct raster_quad *quad = upper[i / (FRAG_SAMPLED_SIDE / 2)][i % (FRAG_SAMPLED_SIDE / 2)];
        if (!quad)
            continue;
        const struct frag_quad lifted = lift_quad(w, quad);
        if (!add_samples(w, &lifted, prim))
            return false;
    }
    return true;
}

/* A batch of this primitive alone: none of its quads have a pixel in common. */
static bool run_quads(struct frag_worker *w, const struct raster_quad *quads, const struct mali_bin_prim *prim)
{
    const unsigned number = mali_frag_find_prim(w, prim);
    for (unsigned q = 0; q < FRAG_WARP_QUADS; q++) {
        w->quads[q] = widen_quad(w, &quads[q], NULL);
        w->quads[q].prim = &w->prims[number].bin.raster;
    }
    memset(w->quad_prims, (int)number, sizeof(w->quad_prims));
    w->quad_count = FRAG_WARP_QUADS;
    return mali_frag_flush(w);
}

bool mali_frag_add_quads(struct frag_worker *w, const struct raster_quad *quads, uint32_t count,
                         const struct mali_bin_prim *prim)
{
    const bool is_per_sample = w->draw->is_per_sample;
    if (w->packed.count && count && !mali_frag_flush(w))
        return false;
    for (uint32_t q = 0; q < count;) {
        if (!is_per_sample && !w->quad_count && count - q >= FRAG_WARP_QUADS) {
            if (!run_quads(w, quads + q, prim))
                return false;
            q += FRAG_WARP_QUADS;
            continue;
        }
        const struct frag_quad quad = widen_quad(w, &quads[q++], NULL);
        if (!(is_per_sample ? add_samples(w, &quad, prim) : add_quad(w, &quad, prim)))
            return false;
    }
    return true;
}

bool mali_frag_begin_draw(struct frag_worker *w, const struct frag_draw *draw)
{
    if (w->draw == draw)
        return true;
    if (!mali_frag_end_draw(w))
        return false;
    w->draw = draw;
    return !draw->has_shader || mali_sc_enter(w->core, &draw->launch) ||
           mali_stop(w->fb->queue, GPU_STOP_UNIMPLEMENTED, "no memory for a fragment shader");
}

/* ---- occlusion queries ---- */

static bool count_passed(struct frag_worker *w)
{
    const struct frag_draw *draw = w->draw;
    struct mali_queue *queue = w->fb->queue;
    if (!w->passed || draw->occlusion == MALI_OCCLUSION_MODE_DISABLED || !draw->occlusion_va)
        return true;
    uint64_t *counter = gpu_space_pointer(queue->space, draw->occlusion_va, 8, GPU_PERM_READ | GPU_PERM_WRITE);
    if (!counter || draw->occlusion_va % 8)
        return mali_fault(queue, "occlusion counter", draw->occlusion_va, 8, true);
    MALI_WRITES(queue, MALI_CLIENT_OCCLUSION, draw->occlusion_va, 8);
    if (draw->occlusion == MALI_OCCLUSION_MODE_COUNTER)
        __atomic_fetch_add(counter, w->passed, __ATOMIC_RELAXED);
    else
        __atomic_store_n(counter, 1, __ATOMIC_RELAXED);
    return true;
}

bool mali_frag_end_draw(struct frag_worker *w)
{
    if (!w->draw)
        return true;
    bool is_ok = mali_frag_flush(w) && count_passed(w);
    w->passed = 0;
    w->draw = NULL;
    return is_ok;
}
