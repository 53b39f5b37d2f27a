/* Waves and blocks of joined programs (gras_join.h): from quads, or from a primitive's planes, to the targets. */
#include <string.h>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "adreno/model/gras/gras_join.h"
#include "isa/lane_env.h"
#include "model/stat.h"
#include "util/bits.h"

/* ---- finding ---- */

static struct gras_joined *find_joined(struct gras_shading *shading, struct adreno_sp *sp)
{
    const struct exec_code *code = adreno_sp_join_code(sp);
    if (!code)
        return NULL;
    if (shading->join_serial != shading->launch->serial || shading->join_epoch != code->epoch) {
        shading->join_serial = shading->launch->serial;
        shading->join_epoch = code->epoch;
        shading->joined = adreno_gras_join_find(shading, sp);
        shading->join_wave = NULL;
    }
    /* Another draw of the same worker may have taken it meanwhile. */
    if (shading->join_wave && (shading->join_wave->user != shading || shading->join_wave->launch != shading->launch))
        shading->join_wave = NULL;
    return shading->joined;
}

/* The wave, ready for the variant; code is made when it is worth it. NULL: not by this program, or not yet. */
static struct adreno_wave *begin_wave(struct gras_shading *shading, struct adreno_sp *sp, struct gras_joined *joined,
                                      bool is_one)
{
    struct pixel_variant *variant = &joined->base.variants[is_one];
    if (variant->state == PIXEL_JOIN_NEVER || (variant->state == PIXEL_JOIN_WAITS && !pixel_variant_is_due(variant)))
        return NULL;
    if (!shading->join_wave) {
        shading->join_wave = adreno_sp_join_wave(sp, shading->launch, sizeof(struct gras_join_rows));
        shading->join_prim = NULL;
        if (!shading->join_wave)
            return NULL;
        shading->join_wave->user = shading;
    }
    if (variant->state == PIXEL_JOIN_WAITS) {
        const unsigned before = stat_enter_work(STAT_MAKING);
        adreno_gras_join(shading, joined, is_one, shading->join_wave);
        stat_leave(before);
    }
    if (variant->state != PIXEL_JOIN_READY) {
        shading->join_wave = NULL;
        return NULL;
    }
    return adreno_sp_join_is_ready(shading->join_wave, joined->variants[is_one].has_preamble) ? shading->join_wave
                                                                                              : NULL;
}

/* ---- varyings ---- */

static void set_values(struct gras_shading *shading, const struct gras_join_variant *variant,
                       const struct raster_prim *prim)
{
    for (uint32_t i = 0; i < variant->location_count && shading->join_prim != prim; i++)
        adreno_gras_varying(shading->state, prim, variant->locations[i], variant->is_flat >> i & 1,
                            shading->join_wave->values + 3 * i);
    shading->join_prim = prim;
}

/* The numbers of a varying of one primitive. Most varyings are smooth, of primitives of a few quads each. */
static inline void varying_of(const struct gras_shading *shading, const struct gras_join_variant *variant,
                              const struct raster_prim *prim, uint32_t smooth, uint32_t i, uint32_t values_out[3])
{
    if (smooth >> i & 1)
        adreno_gras_smooth(prim, variant->locations[i], values_out);
    else
        adreno_gras_varying(shading->state, prim, variant->locations[i], variant->is_flat >> i & 1, values_out);
}

static inline void spread_value(uint32_t *row, uint32_t first, uint32_t end, uint32_t value)
{
    const uint32_t four[4] = {value, value, value, value};
    for (uint32_t q = first; q < end; q++)
        memcpy(row + 4 * q, four, sizeof(four));
}

#if defined(__AVX512F__)
/* A wave has no more primitives than a vector has lanes: rows are permutations of their numbers. */
_Static_assert(GRAS_JOIN_QUADS == 16 && ADRENO_JOIN_LANES == 64, "a vector of primitives, four of lanes");

static void spread_rows(struct gras_shading *shading, const struct gras_join_variant *variant, uint32_t smooth,
                        struct gras_join_rows *rows)
{
    uint32_t numbers[GRAS_JOIN_LOCATIONS][3][GRAS_JOIN_QUADS] __attribute__((aligned(64)));
    uint32_t run_of[ADRENO_JOIN_LANES] __attribute__((aligned(64))) = {0};
    __m512i places[4];
    for (uint32_t run = 0, first = 0; run < shading->run_count; run++) {
        spread_value(run_of, first, shading->runs[run].end, run);
        first = shading->runs[run].end;
        for (uint32_t i = 0; i < variant->location_count; i++) {
            uint32_t values[3] = {0, 0, 0};
            varying_of(shading, variant, shading->runs[run].prim, smooth, i, values);
            for (unsigned n = 0; n < 3; n++)
                numbers[i][n][run] = values[n];
        }
    }
    for (unsigned k = 0; k < 4; k++)
        places[k] = _mm512_load_si512(run_of + 16 * k);
    for (uint32_t i = 0; i < variant->location_count; i++) {
        for (unsigned n = 0; n < (variant->is_flat >> i & 1 ? 1u : 3u); n++) {
            const __m512i all = _mm512_load_si512(numbers[i][n]);
            for (unsigned k = 0; k < 4; k++)
                _mm512_storeu_si512(rows->varyings[i][n] + 16 * k, _mm512_permutexvar_epi32(places[k], all));
        }
    }
}
#else
static void spread_rows(struct gras_shading *shading, const struct gras_join_variant *variant, uint32_t smooth,
                        struct gras_join_rows *rows)
{
    for (uint32_t run = 0, first = 0; run < shading->run_count; run++) {
        const uint32_t end = shading->runs[run].end;
        for (uint32_t i = 0; i < variant->location_count; i++) {
            uint32_t values[3] = {0, 0, 0};
            varying_of(shading, variant, shading->runs[run].prim, smooth, i, values);
            for (unsigned n = 0; n < (variant->is_flat >> i & 1 ? 1u : 3u); n++)
                spread_value(rows->varyings[i][n], first, end, values[n]);
        }
        first = end;
    }
}
#endif

/* Rows set lane by lane. */
static void set_rows(struct gras_shading *shading, const struct gras_join_variant *variant, struct gras_join_rows *rows)
{
    uint32_t smooth = 0;
    for (uint32_t i = 0; i < variant->location_count; i++)
        smooth |= (uint32_t)adreno_gras_is_smooth(shading->state, variant->locations[i]) << i;
    spread_rows(shading, variant, smooth & ~variant->is_flat, rows);
}

/* ---- waves ---- */

static bool read_targets(struct gras_shading *shading, const struct gras_joined *joined, struct gras_join_rows *rows)
{
    const struct gras_join_key *key = &joined->key;
    for (unsigned i = 0; i < key->target_count && key->is_codes; i++) {
        const struct gras_join_target *target = &key->targets[i];
        if (target->reads && !adreno_rb_load_codes(&shading->rb, target->number, rows->codes[target->number],
                                                   shading->wave_quads, shading->wave_quad_count))
            return false;
    }
    return true;
}

/* The end of a wave: killed fragments, late tests, and the targets. */
static void finish_wave(struct gras_shading *shading, const struct gras_joined *joined, bool is_one,
                        struct adreno_wave *wave)
{
    struct gras_join_rows *rows = adreno_sp_join_after(wave);
    struct raster_quad *quads = shading->wave_quads;
    bits_foreach (joined->variants[is_one].has_kill ? rows->killed : 0, lane) {
        if ((uint32_t)lane / 4 < shading->wave_quad_count)
            quads[lane / 4].mask &= ~(0xffu << lane % 4 * 8);
    }
    if (!joined->key.is_codes) {
        adreno_gras_finish_rows(shading, wave);
        return;
    }
    if (!shading->rb.draw->is_early) {
        adreno_rb_test(&shading->rb, NULL, quads, shading->wave_quad_count);
        if (shading->lrz->feeds_late)
            adreno_gras_lrz_feed(shading->lrz, quads, shading->wave_quad_count);
    }
    for (unsigned i = 0; i < joined->key.target_count; i++) {
        const unsigned t = joined->key.targets[i].number;
        if (!adreno_rb_store_codes(&shading->rb, t, rows->codes[t], quads, shading->wave_quad_count))
            return; /* the RB reports it when the draw ends */
    }
}

/* Inputs and the program, in its float environment. */
static enum adreno_join_result run_joined(struct gras_shading *shading, const struct gras_joined *joined, bool is_one,
                                          struct adreno_wave *wave)
{
    const struct gras_join_variant *variant = &joined->variants[is_one];
    if (is_one)
        set_values(shading, variant, shading->runs[0].prim);
    else
        set_rows(shading, variant, adreno_sp_join_after(wave));
    adreno_gras_load_inputs(shading, wave);
    if (shading->state->prefetch_count) {
        const struct lane_mask lanes = lane_mask_first(shading->wave_quad_count * 4);
        if (!lane_mask_equal(wave->active, lanes))
            adreno_wave_run_lanes(wave, lanes);
        if (!adreno_gras_prefetch(shading, wave))
            return ADRENO_JOIN_FAULTED;
    }
    const uint64_t host = lane_env_get();
    lane_env_set(wave->env);
    const enum adreno_join_result result =
        adreno_sp_join_run(wave, &joined->base.variants[is_one], &variant->between, shading->wave_quad_count * 4);
    lane_env_set(host);
    if (result == ADRENO_JOIN_FAULTED)
        adreno_sp_report(shading->gpu, wave);
    return result;
}

bool adreno_gras_run_joined(struct gras_shading *shading, struct adreno_sp *sp, uint32_t count, bool *is_ok_out)
{
    struct raster_quad *quads = shading->quads + shading->quad_first;
    struct gras_joined *joined = find_joined(shading, sp);
    if (joined && joined->key.is_codes && joined->key.reads) /* what one primitive leaves the next one blends with */
        count = adreno_rb_count_apart(quads, count);
    const bool is_one = quads[0].prim == quads[count - 1].prim;
    struct adreno_wave *wave = joined ? begin_wave(shading, sp, joined, is_one) : NULL;
    if (!wave || count > GRAS_JOIN_QUADS)
        return false;
    shading->wave_quads = quads;
    shading->wave_quad_count = count;
    adreno_gras_find_runs(shading);
    if (!read_targets(shading, joined, adreno_sp_join_after(wave)))
        return false;
    const unsigned before = stat_enter_work(STAT_HOST);
    const enum adreno_join_result result = run_joined(shading, joined, is_one, wave);
    stat_leave(before);
    if (result == ADRENO_JOIN_REFUSED)
        return false;
    stat_count_waves(1);
    shading->quad_first += count;
    *is_ok_out = result == ADRENO_JOIN_DONE;
    if (!*is_ok_out)
        return true;
    shading->invocations += adreno_gras_count_covered(quads, count);
    finish_wave(shading, joined, is_one, wave);
    return true;
}

bool adreno_gras_is_joined(struct gras_shading *shading, struct adreno_sp *sp, uint32_t end)
{
    const struct gras_joined *joined = find_joined(shading, sp);
    const struct raster_quad *quads = shading->quads + shading->quad_first;
    const uint32_t count = MIN2(end - shading->quad_first, (uint32_t)GRAS_JOIN_QUADS);
    return joined && joined->base.variants[quads[0].prim == quads[count - 1].prim].state != PIXEL_JOIN_NEVER;
}

/* ---- blocks ---- */

static bool has_simple_inputs(const struct gras_state *state)
{
    bool is_so = state->face_reg >= ADRENO_NO_REG && state->sample_id_reg >= ADRENO_NO_REG &&
                 state->sample_mask_reg >= ADRENO_NO_REG && state->center_rhw_reg >= ADRENO_NO_REG &&
                 state->xy_reg >= ADRENO_NO_REG && state->zw_reg >= ADRENO_NO_REG;
    for (unsigned i = 0; i < GRAS_IJ_COUNT; i++)
        is_so &= i == GRAS_IJ_PERSP_PIXEL || i == GRAS_IJ_LINEAR_PIXEL || state->ij_reg[i] >= ADRENO_NO_REG;
    return is_so;
}

bool adreno_gras_takes_blocks(struct gras_shading *shading, struct adreno_sp *sp)
{
    const struct adreno_rb_draw *rb = shading->rb.draw;
    const struct raster_coverage *coverage = shading->coverage;
    if (!shading->state->has_shader || coverage->samples != 1 || coverage->iterations != 1 || coverage->spread ||
        rb->samples_log2 || shading->state->is_ordered ||
        (shading->lrz->has_test && !adreno_gras_lrz_has_blocks(shading->lrz)) || shading->lrz->feeds_late ||
        (rb->depth.has_test && !rb->is_early))
        return false;
    const struct gras_joined *joined = find_joined(shading, sp);
    if (!joined || !joined->key.is_codes || !shading->join_wave ||
        joined->base.variants[true].state != PIXEL_JOIN_READY ||
        !adreno_sp_join_is_ready(shading->join_wave, joined->variants[true].has_preamble))
        return false;
    for (unsigned i = 0; i < joined->key.target_count; i++) {
        if (!adreno_rb_takes_blocks(&rb->targets[joined->key.targets[i].number]))
            return false;
    }
    return true;
}

static void make_quads(const struct raster_prim *prim, uint32_t x, uint32_t y,
                       struct raster_quad quads[GRAS_JOIN_QUADS])
{
    for (unsigned q = 0; q < GRAS_JOIN_QUADS; q++) {
        quads[q].prim = prim;
        quads[q].x = (uint16_t)(x + q % 4 * 2);
        quads[q].y = (uint16_t)(y + q / 4 * 2);
        quads[q].mask = quads[q].coverage = 0x01010101u;
        quads[q].iteration = 0;
    }
}

/* Pixels of quads with one sample, in the order of lanes. */
static uint64_t pixels_of(const struct raster_quad quads[GRAS_JOIN_QUADS])
{
    uint64_t pixels = 0;
    for (unsigned q = 0; q < GRAS_JOIN_QUADS; q++) {
        const uint32_t mask = quads[q].mask;
        pixels |= (uint64_t)((mask & 1) | (mask >> 7 & 2) | (mask >> 14 & 4) | (mask >> 21 & 8)) << 4 * q;
    }
    return pixels;
}

static void set_pixels(struct raster_quad quads[GRAS_JOIN_QUADS], uint64_t pixels)
{
    for (unsigned q = 0; q < GRAS_JOIN_QUADS; q++) {
        const uint32_t four = pixels >> 4 * q & 15;
        quads[q].mask = (four & 1) | (four & 2) << 7 | (four & 4) << 14 | (four & 8) << 21;
    }
}

static void load_simple_inputs(const struct gras_shading *shading, struct adreno_wave *wave,
                               const struct raster_prim *prim, uint32_t x, uint32_t y)
{
    const uint8_t persp = shading->state->ij_reg[GRAS_IJ_PERSP_PIXEL],
                  linear = shading->state->ij_reg[GRAS_IJ_LINEAR_PIXEL];
    if (persp < ADRENO_NO_REG)
        raster_block_weights(prim, x, y, false, adreno_wave_row(wave, persp), adreno_wave_row(wave, persp + 1));
    if (linear < ADRENO_NO_REG)
        raster_block_weights(prim, x, y, true, adreno_wave_row(wave, linear), adreno_wave_row(wave, linear + 1));
}

/* Texture loads before the program; their places are not the program's own, which they may overwrite. */
static bool prefetch_block(struct gras_shading *shading, struct adreno_wave *wave, const struct raster_prim *prim,
                           uint32_t x, uint32_t y)
{
    struct gras_centers centers;
    const struct lane_mask lanes = lane_mask_first(ADRENO_JOIN_LANES);
    if (!lane_mask_equal(wave->active, lanes))
        adreno_wave_run_lanes(wave, lanes);
    raster_block_weights(prim, x, y, false, centers.i, centers.j);
    return adreno_gras_prefetch_at(shading, wave, &centers);
}

/* The program of a block all of whose inputs are found by the primitive's planes. */
static enum adreno_join_result run_simple(struct gras_shading *shading, const struct pixel_variant *variant,
                                          const struct sp_join_between *between, struct adreno_wave *wave,
                                          const struct raster_prim *prim, uint32_t x, uint32_t y)
{
    load_simple_inputs(shading, wave, prim, x, y);
    if (shading->state->prefetch_count && !prefetch_block(shading, wave, prim, x, y))
        return ADRENO_JOIN_FAULTED;
    const uint64_t host = lane_env_get();
    lane_env_set(wave->env);
    const enum adreno_join_result result = adreno_sp_join_run(wave, variant, between, ADRENO_JOIN_LANES);
    lane_env_set(host);
    if (result == ADRENO_JOIN_FAULTED)
        adreno_sp_report(shading->gpu, wave);
    return result;
}

struct blocks {
    struct gras_joined *joined;
    struct adreno_wave *wave;
    bool is_simple;
};

/* The block goes the way of quads; its early tests are still to be made, unless they were. */
static void refuse_block(struct gras_shading *shading, const struct raster_prim *prim, uint32_t x, uint32_t y,
                         const struct raster_quad *tested)
{
    struct raster_quad *quads = shading->quads + shading->quad_count;
    make_quads(prim, x, y, quads);
    if (tested)
        memcpy(quads, tested, GRAS_JOIN_QUADS * sizeof(*quads));
    else if (shading->rb.draw->is_early)
        adreno_rb_test(&shading->rb, NULL, quads, GRAS_JOIN_QUADS);
    for (unsigned q = 0; q < GRAS_JOIN_QUADS; q++) {
        if (quads[q].mask)
            shading->quads[shading->quad_count++] = quads[q];
    }
}

/* False: stopped, or left to the end of the draw. */
static bool run_block(struct gras_shading *shading, const struct blocks *b, const struct raster_prim *prim, uint32_t x,
                      uint32_t y)
{
    const struct gras_join_variant *variant = &b->joined->variants[true];
    const struct gras_join_key *key = &b->joined->key;
    struct gras_join_rows *rows = adreno_sp_join_after(b->wave);
    struct adreno_rb_block to[ADRENO_RB_TARGETS];
    struct raster_quad quads[GRAS_JOIN_QUADS];
    uint64_t drawn = UINT64_MAX;
    const bool has_test = shading->rb.draw->depth.has_test, is_block = has_test && adreno_rb_tests_blocks(&shading->rb);
    if (!b->is_simple || has_test)
        make_quads(prim, x, y, quads);
    if (is_block) {
        drawn = adreno_rb_test_block(&shading->rb, prim, x, y, UINT64_MAX);
        set_pixels(quads, drawn);
    } else if (has_test) {
        adreno_rb_test(&shading->rb, NULL, quads, GRAS_JOIN_QUADS);
        drawn = pixels_of(quads);
    }
    if (!drawn)
        return true;
    for (unsigned i = 0; i < key->target_count; i++) {
        const unsigned t = key->targets[i].number;
        if (!adreno_rb_open_block(&shading->rb, t, x, y, prim->layer, &to[i]))
            return false;
        if (key->targets[i].reads)
            adreno_rb_load_block(&to[i], rows->codes[t]);
    }
    enum adreno_join_result result;
    shading->wave_quad_count = GRAS_JOIN_QUADS;
    shading->run_count = 1;
    shading->runs[0] = (struct gras_run){GRAS_JOIN_QUADS, prim};
    if (b->is_simple) {
        result = run_simple(shading, &b->joined->base.variants[true], &variant->between, b->wave, prim, x, y);
    } else {
        shading->wave_quads = quads;
        result = run_joined(shading, b->joined, true, b->wave);
    }
    if (result == ADRENO_JOIN_REFUSED) {
        shading->joined = NULL; /* until the next launch */
        refuse_block(shading, prim, x, y, shading->rb.draw->depth.has_test ? quads : NULL);
    }
    if (result != ADRENO_JOIN_DONE)
        return result == ADRENO_JOIN_REFUSED;
    shading->invocations += (unsigned)__builtin_popcountll(drawn);
    if (!shading->rb.draw->depth.has_test && shading->rb.draw->is_early)
        shading->rb.passed += ADRENO_JOIN_LANES;
    drawn &= variant->has_kill ? ~rows->killed : UINT64_MAX;
    if (!shading->rb.draw->is_early)
        shading->rb.passed += (unsigned)__builtin_popcountll(drawn);
    for (unsigned i = 0; i < key->target_count && drawn; i++)
        adreno_rb_store_block(&to[i], rows->codes[key->targets[i].number], drawn);
    return true;
}

bool adreno_gras_run_blocks(struct gras_shading *shading, struct adreno_sp *sp, const struct raster_prim *prim,
                            int32_t tile_x, int32_t tile_y, uint64_t blocks)
{
    struct blocks b = {.joined = find_joined(shading, sp), .is_simple = has_simple_inputs(shading->state)};
    b.wave = b.joined ? begin_wave(shading, sp, b.joined, true) : NULL;
    if (!b.wave)
        return adreno_stop(shading->gpu, ADRENO_STOP_BROKEN, "no fragment wave could be launched");
    set_values(shading, &b.joined->variants[true], prim);
    stat_count_waves((unsigned)__builtin_popcountll(blocks));
    bits_foreach (blocks, n) {
        const uint32_t x = (uint32_t)tile_x + (uint32_t)n % 8 * 8, y = (uint32_t)tile_y + (uint32_t)n / 8 * 8;
        if (!shading->joined)
            refuse_block(shading, prim, x, y, NULL);
        else if (!run_block(shading, &b, prim, x, y))
            return shading->rb.fault.is_set; /* the RB reports it when the draw ends */
    }
    return true;
}
