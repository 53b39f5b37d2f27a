/* Elements of any size that a wave has as rows of dwords: exports that are in memory as they are, halves that blend,
 * and whatever else a program makes that is joined with its targets, but for codes of four bytes (cb_write.c). */
#include "amd/model/cb/cb_elements.h"
#include "amd/model/cb/cb_quads.h"

/* ---- quads ---- */

/* Where the elements of quads are, one after the other: neighbours are in the same block. */
struct finder {
    struct cb *cb;
    unsigned t;
    const struct raster_quad *last;
    const struct cb_block *block;
    const struct cb_tile *tile; /* in place of the block */
};

static inline bool is_beside(const struct finder *f, const struct raster_quad *quad, unsigned log2)
{
    return f->last && f->last->prim == quad->prim && !(((f->last->x ^ quad->x) | (f->last->y ^ quad->y)) >> log2);
}

/* False: a fault or a stop. */
static inline bool find_quad(struct finder *f, const struct raster_quad *quad)
{
    const struct cb_target *target = &f->cb->state->targets[f->t];
    const struct cb_surface *surface = target->surface;
    if (surface->has_wide && !is_beside(f, quad, 3)) {
        f->tile = cb_enter_wide(f->cb, f->t, quad->x, quad->y, cb_slice_of(target, quad));
        f->block = NULL;
    }
    if (!f->tile && (!f->block || !is_beside(f, quad, surface->block_log2)))
        f->block = cb_enter_block(f->cb, f->t, quad, cb_slice_of(target, quad), false);
    f->last = quad;
    return f->tile || f->block;
}

static inline uint8_t *host_of(const struct finder *f, unsigned sample)
{
    return f->tile ? f->tile->host : f->block->host[sample];
}

static inline uint32_t low_of(const struct finder *f, const struct cb_surface *surface, unsigned sample)
{
    const uint32_t x = f->last->x, y = f->last->y;
    return (f->tile ? cb_wide_low(surface, f->tile, x, y) : f->block->low[sample]) ^ cb_block_bits(surface, x, y);
}

static inline __attribute__((always_inline)) void
store_quads_in_blocks(struct cb *cb, unsigned t, const uint32_t (*rows)[CB_MAX_LANES], const struct raster_quad *quads,
                      uint32_t count, unsigned first_sample, unsigned end_sample, unsigned element_B)
{
    const struct cb_surface *surface = cb->state->targets[t].surface;
    const uint32_t wanted = (uint32_t)bits_mask(end_sample) & ~(uint32_t)bits_mask(first_sample);
    struct finder finder = {.cb = cb, .t = t};
    for (uint32_t q = 0; q < count; q++) {
        if (!quads[q].mask)
            continue;
        if (!find_quad(&finder, &quads[q]))
            return;
        bits_foreach (cb_samples_of(&quads[q]) & wanted, sample) {
            const unsigned s = (unsigned)sample;
            const uint32_t low = low_of(&finder, surface, s);
            uint8_t *host = host_of(&finder, s);
            if (has_pairs(surface, element_B)) {
                const uint32_t pixels = cb_pixels_of(&quads[q], s);
                put_pairs(surface, host, low, rows, q * 4, IS_WHOLE(pixels), pixels);
                continue;
            }
            bits_foreach (cb_pixels_of(&quads[q], s), p)
                pixel_put_element(host + (low ^ surface->quad_xor[p]), rows, q * 4 + (unsigned)p, element_B);
        }
    }
}

/* Stores quads that are found by their tile. */
static inline __attribute__((always_inline)) void store_placed(const struct cb_surface *surface,
                                                               const struct cb_places *at,
                                                               const uint32_t (*rows)[CB_MAX_LANES], uint32_t count,
                                                               unsigned element_B)
{
    for (uint32_t q = 0; q < count; q++) {
        const uint32_t low = at->places[q], pixels = at->lanes >> q * 4 & 15;
        if (has_pairs(surface, element_B)) {
            put_pairs(surface, at->host, low, rows, q * 4, IS_WHOLE(pixels), pixels);
            continue;
        }
        bits_foreach (pixels, p)
            pixel_put_element(at->host + (low ^ surface->quad_xor[p]), rows, q * 4 + (unsigned)p, element_B);
    }
}

static inline __attribute__((always_inline)) void
store_quads(struct cb *cb, unsigned t, const uint32_t (*rows)[CB_MAX_LANES], const struct raster_quad *quads,
            uint32_t count, unsigned first_sample, unsigned end_sample, unsigned element_B)
{
    struct cb_places places;
    if (!amd_cb_place_quads(cb, t, quads, count, &places))
        return;
    if (places.host) {
        store_placed(cb->state->targets[t].surface, &places, rows, count, element_B);
        return;
    }
    if (cb->state->targets[t].surface->has_blocks) {
        store_quads_in_blocks(cb, t, rows, quads, count, first_sample, end_sample, element_B);
        return;
    }
    for (uint32_t q = 0; q < count; q++) {
        for (unsigned s = first_sample; s < end_sample; s++) {
            const uint32_t pixels = cb_pixels_of(&quads[q], s);
            uint8_t *host[4];
            if (pixels && !amd_cb_find_quad(cb, t, &quads[q], pixels, s, host))
                return;
            bits_foreach (pixels, p)
                pixel_put_element(host[p], rows, q * 4 + (unsigned)p, element_B);
        }
    }
}

/* Memory beside the pixels in question does no harm. */
static bool load_quads(struct cb *cb, unsigned t, unsigned sample, uint32_t (*rows)[CB_MAX_LANES],
                       const struct raster_quad *quads, uint32_t count)
{
    const struct cb_surface *surface = cb->state->targets[t].surface;
    struct finder finder = {.cb = cb, .t = t};
    struct cb_places places;
    if (!amd_cb_place_quads(cb, t, quads, count, &places))
        return false;
    for (uint32_t q = 0; q < count && places.host && has_pairs(surface, 8); q++)
        get_pairs(surface, places.host, places.places[q], rows, q * 4);
    if (places.host && has_pairs(surface, 8))
        return true;
    for (uint32_t q = 0; q < count; q++) {
        if (!quads[q].mask)
            continue;
        if (!find_quad(&finder, &quads[q]))
            return false;
        const uint32_t low = low_of(&finder, surface, sample);
        const uint8_t *host = host_of(&finder, sample);
        if (has_pairs(surface, 8)) {
            get_pairs(surface, host, low, rows, q * 4);
            continue;
        }
        for (unsigned p = 0; p < 4; p++)
            pixel_get_element(host + (low ^ surface->quad_xor[p]), rows, q * 4 + p, 8);
    }
    return true;
}

/* The number of the wave's block in its tile, once it is found and expanded; -1: there was a fault or a stop.
 * `is_found_out`: it can be reached as a block. */
static int enter_block(struct cb *cb, unsigned t, const struct raster_quad *first, bool overwritten, bool *is_found_out)
{
    const struct cb_target *target = &cb->state->targets[t];
    const uint32_t slice = cb_slice_of(target, first);
    *is_found_out = true;
    if (cb_takes_blocks(target)) {
        const struct cb_block *block = cb_enter_block(cb, t, first, slice, overwritten);
        return block ? (int)(block - cb->blocks[t].at) : -1;
    }
    *is_found_out = cb_takes_wide_blocks(target) && cb_enter_wide(cb, t, first->x, first->y, slice);
    return (first->y >> 3 & 7) * 8 + (first->x >> 3 & 7);
}

/* ---- blocks of 8 by 8 ---- */

/* Where a block's elements are, which stands in its slot or is found by its tile. */
struct place {
    uint8_t *host;
    uint32_t low;
};

static struct place place_of(const struct cb *cb, unsigned t, unsigned b, unsigned sample)
{
    const struct cb_surface *surface = cb->state->targets[t].surface;
    const struct cb_block *block = &cb->blocks[t].at[b];
    if (surface->has_wide)
        return (struct place){cb->tiles[t].host, cb_wide_low(surface, &cb->tiles[t], b % 8 * 8, b / 8 * 8)};
    return (struct place){block->host[sample], block->low[sample]};
}

#if defined(__AVX512VL__)
/* Four quads side by side of two dwords each, in pairs, at once. */
static void store_pairs_of_block(const struct cb_surface *surface, struct place at,
                                 const uint32_t (*rows)[CB_MAX_LANES])
{
    for (unsigned k = 0; k < 4; k++) {
        const uint32_t low = at.low ^ surface->block_y[k * 2], below = surface->quad_xor[2];
        const __m512i a = _mm512_loadu_si512(rows[0] + k * 16), b = _mm512_loadu_si512(rows[1] + k * 16),
                      top = _mm512_unpacklo_epi32(a, b), bottom = _mm512_unpackhi_epi32(a, b);
        const uint32_t at_0 = low ^ surface->block_x[0], at_1 = low ^ surface->block_x[2],
                       at_2 = low ^ surface->block_x[4], at_3 = low ^ surface->block_x[6];
        _mm_storeu_si128((__m128i *)(at.host + at_0), _mm512_castsi512_si128(top));
        _mm_storeu_si128((__m128i *)(at.host + (at_0 ^ below)), _mm512_castsi512_si128(bottom));
        _mm_storeu_si128((__m128i *)(at.host + at_1), _mm512_extracti32x4_epi32(top, 1));
        _mm_storeu_si128((__m128i *)(at.host + (at_1 ^ below)), _mm512_extracti32x4_epi32(bottom, 1));
        _mm_storeu_si128((__m128i *)(at.host + at_2), _mm512_extracti32x4_epi32(top, 2));
        _mm_storeu_si128((__m128i *)(at.host + (at_2 ^ below)), _mm512_extracti32x4_epi32(bottom, 2));
        _mm_storeu_si128((__m128i *)(at.host + at_3), _mm512_extracti32x4_epi32(top, 3));
        _mm_storeu_si128((__m128i *)(at.host + (at_3 ^ below)), _mm512_extracti32x4_epi32(bottom, 3));
    }
}

static inline __m512 four_pairs(const uint8_t *host, const uint32_t at[4], uint32_t bits)
{
    const __m128 first = _mm_loadu_ps((const float *)(host + (at[0] ^ bits)));
    __m512 four =
        _mm512_insertf32x4(_mm512_castps128_ps512(first), _mm_loadu_ps((const float *)(host + (at[1] ^ bits))), 1);
    four = _mm512_insertf32x4(four, _mm_loadu_ps((const float *)(host + (at[2] ^ bits))), 2);
    return _mm512_insertf32x4(four, _mm_loadu_ps((const float *)(host + (at[3] ^ bits))), 3);
}

static void load_pairs_of_block(const struct cb_surface *surface, struct place at, uint32_t (*rows)[CB_MAX_LANES])
{
    for (unsigned k = 0; k < 4; k++) {
        const uint32_t low = at.low ^ surface->block_y[k * 2],
                       four[4] = {low ^ surface->block_x[0], low ^ surface->block_x[2], low ^ surface->block_x[4],
                                  low ^ surface->block_x[6]};
        const __m512 top = four_pairs(at.host, four, 0), bottom = four_pairs(at.host, four, surface->quad_xor[2]);
        _mm512_storeu_ps(rows[0] + k * 16, _mm512_shuffle_ps(top, bottom, 0x88));
        _mm512_storeu_ps(rows[1] + k * 16, _mm512_shuffle_ps(top, bottom, 0xdd));
    }
}
#else
static void store_pairs_of_block(const struct cb_surface *surface, struct place at,
                                 const uint32_t (*rows)[CB_MAX_LANES])
{
    for (unsigned q = 0; q < 16; q++) {
        const uint32_t low = at.low ^ surface->block_x[q % 4 * 2] ^ surface->block_y[q / 4 * 2];
        put_pairs(surface, at.host, low, rows, q * 4, true, 15);
    }
}

static void load_pairs_of_block(const struct cb_surface *surface, struct place at, uint32_t (*rows)[CB_MAX_LANES])
{
    for (unsigned q = 0; q < 16; q++)
        get_pairs(surface, at.host, at.low ^ surface->block_x[q % 4 * 2] ^ surface->block_y[q / 4 * 2], rows, q * 4);
}
#endif

static inline __attribute__((always_inline)) void store_block(const struct cb_surface *surface, struct place at,
                                                              const uint32_t (*rows)[CB_MAX_LANES], unsigned element_B)
{
    if (has_pairs(surface, element_B)) {
        store_pairs_of_block(surface, at, rows);
        return;
    }
    for (unsigned q = 0; q < 16; q++) {
        const uint32_t low = at.low ^ surface->block_x[q % 4 * 2] ^ surface->block_y[q / 4 * 2];
        if (element_B == 16) {
            put_fours(surface, at.host, low, rows, q * 4);
            continue;
        }
        for (unsigned p = 0; p < 4; p++)
            pixel_put_element(at.host + (low ^ surface->quad_xor[p]), rows, q * 4 + p, element_B);
    }
}

static inline __attribute__((always_inline)) void load_block(const struct cb_surface *surface, struct place at,
                                                             uint32_t (*rows)[CB_MAX_LANES], unsigned element_B)
{
    if (has_pairs(surface, element_B)) {
        load_pairs_of_block(surface, at, rows);
        return;
    }
    for (unsigned q = 0; q < 16; q++) {
        const uint32_t low = at.low ^ surface->block_x[q % 4 * 2] ^ surface->block_y[q / 4 * 2];
        if (element_B == 16) {
            get_fours(surface, at.host, low, rows, q * 4);
            continue;
        }
        for (unsigned p = 0; p < 4; p++)
            pixel_get_element(at.host + (low ^ surface->quad_xor[p]), rows, q * 4 + p, element_B);
    }
}

/* Of one byte or two: two quads are four elements of a row and four of the next. */
static inline __attribute__((always_inline)) void store_narrow_block(const struct cb_surface *surface, struct place at,
                                                                     const uint32_t (*rows)[CB_MAX_LANES],
                                                                     unsigned element_B)
{
    if (!surface->fours_are_rows) {
        store_block(surface, at, rows, element_B);
        return;
    }
    for (unsigned q = 0; q < 16; q += 2) {
        const unsigned four = q / 4 * 4 + q % 4 / 2;
        const sq_quad left = sq_quad_load(rows[0] + q * 4), right = sq_quad_load(rows[0] + q * 4 + 4);
        const sq_quad top = __builtin_shufflevector(left, right, 0, 1, 4, 5),
                      bottom = __builtin_shufflevector(left, right, 2, 3, 6, 7);
        pixel_put_four(at.host + (at.low ^ surface->four_at[four]), &top, element_B);
        pixel_put_four(at.host + (at.low ^ surface->four_at[four + 2]), &bottom, element_B);
    }
}

static inline __attribute__((always_inline)) void load_narrow_block(const struct cb_surface *surface, struct place at,
                                                                    uint32_t (*rows)[CB_MAX_LANES], unsigned element_B)
{
    if (!surface->fours_are_rows) {
        load_block(surface, at, rows, element_B);
        return;
    }
    for (unsigned q = 0; q < 16; q += 2) {
        const unsigned four = q / 4 * 4 + q % 4 / 2;
        sq_quad top, bottom;
        pixel_get_four(at.host + (at.low ^ surface->four_at[four]), &top, element_B);
        pixel_get_four(at.host + (at.low ^ surface->four_at[four + 2]), &bottom, element_B);
        sq_quad_store(rows[0] + q * 4, __builtin_shufflevector(top, bottom, 0, 1, 4, 5));
        sq_quad_store(rows[0] + q * 4 + 4, __builtin_shufflevector(top, bottom, 2, 3, 6, 7));
    }
}

static void store_sample(struct cb *cb, unsigned t, unsigned b, unsigned sample, const uint32_t (*rows)[CB_MAX_LANES])
{
    const struct cb_surface *surface = cb->state->targets[t].surface;
    const struct place at = place_of(cb, t, b, sample);
    switch (cb->state->targets[t].element_B) {
    case 1:
        store_narrow_block(surface, at, rows, 1);
        break;
    case 2:
        store_narrow_block(surface, at, rows, 2);
        break;
    case 4:
        store_block(surface, at, rows, 4);
        break;
    case 8:
        store_block(surface, at, rows, 8);
        break;
    default:
        store_block(surface, at, rows, 16);
        break;
    }
}

void amd_cb_write_raw_block(struct cb *cb, unsigned t, unsigned b, const uint32_t (*rows)[CB_MAX_LANES])
{
    for (unsigned s = 0; s < cb->state->targets[t].samples; s++)
        store_sample(cb, t, b, s, rows);
}

void amd_cb_read_pairs_block(struct cb *cb, unsigned t, unsigned b, uint32_t (*rows)[CB_MAX_LANES])
{
    load_block(cb->state->targets[t].surface, place_of(cb, t, b, 0), rows, 8);
}

static void load_sample(struct cb *cb, unsigned t, unsigned b, unsigned sample, uint32_t (*rows)[CB_MAX_LANES])
{
    const struct cb_surface *surface = cb->state->targets[t].surface;
    const struct place at = place_of(cb, t, b, sample);
    switch (cb->state->targets[t].element_B) {
    case 1:
        load_narrow_block(surface, at, rows, 1);
        break;
    case 2:
        load_narrow_block(surface, at, rows, 2);
        break;
    case 4:
        amd_cb_load_block(surface, &cb->blocks[t].at[b], sample, rows[0]);
        break;
    case 8:
        load_block(surface, at, rows, 8);
        break;
    default:
        load_block(surface, at, rows, 16);
        break;
    }
}

void amd_cb_read_raw_block(struct cb *cb, unsigned t, unsigned b, uint32_t (*rows)[CB_MAX_LANES])
{
    load_sample(cb, t, b, 0, rows);
}

/* ---- waves ---- */

bool amd_cb_read_pairs(struct cb *cb, unsigned t, unsigned sample, uint32_t (*rows)[CB_MAX_LANES],
                       const struct raster_quad *quads, uint32_t quad_count, bool is_block)
{
    const struct cb_target *target = &cb->state->targets[t];
    bool is_found = false;
    const int block = is_block ? enter_block(cb, t, quads, false, &is_found) : -1;
    if (is_found) {
        if (block >= 0)
            load_sample(cb, t, (unsigned)block, sample, rows);
        return block >= 0;
    }
    if (target->surface->has_blocks)
        return load_quads(cb, t, sample, rows, quads, quad_count);
    for (uint32_t q = 0; q < quad_count; q++) {
        const uint32_t pixels = cb_pixels_of(&quads[q], sample);
        uint8_t *host[4];
        if (pixels && !amd_cb_find_quad(cb, t, &quads[q], pixels, sample, host))
            return false;
        bits_foreach (pixels, p)
            pixel_get_element(host[p], rows, q * 4 + (unsigned)p, 8);
    }
    return true;
}

bool amd_cb_read_raw(struct cb *cb, unsigned t, unsigned sample, uint32_t (*rows)[CB_MAX_LANES],
                     const struct raster_quad *quads, uint32_t quad_count, bool is_block)
{
    const struct cb_target *target = &cb->state->targets[t];
    bool is_found = false;
    if (target->element_B == 4)
        return amd_cb_read_codes(cb, t, sample, rows[0], quads, quad_count, is_block);
    if (target->element_B == 8)
        return amd_cb_read_pairs(cb, t, sample, rows, quads, quad_count, is_block);
    const int block = is_block ? enter_block(cb, t, quads, false, &is_found) : -1;
    if (is_found) {
        if (block >= 0)
            load_sample(cb, t, (unsigned)block, sample, rows);
        return block >= 0;
    }
    for (uint32_t q = 0; q < quad_count; q++) {
        const uint32_t pixels = cb_pixels_of(&quads[q], sample);
        uint8_t *host[4];
        if (pixels && !amd_cb_find_quad(cb, t, &quads[q], pixels, sample, host))
            return false;
        bits_foreach (pixels, p) {
            const uint32_t lane = q * 4 + (unsigned)p;
            if (target->element_B == 1)
                pixel_get_element(host[p], rows, lane, 1);
            else if (target->element_B == 2)
                pixel_get_element(host[p], rows, lane, 2);
            else
                pixel_get_element(host[p], rows, lane, 16);
        }
    }
    return true;
}

static void put_quads(struct cb *cb, unsigned t, const uint32_t (*rows)[CB_MAX_LANES], const struct raster_quad *quads,
                      uint32_t count, unsigned first_sample, unsigned end_sample)
{
    switch (cb->state->targets[t].element_B) {
    case 1:
        store_quads(cb, t, rows, quads, count, first_sample, end_sample, 1);
        break;
    case 2:
        store_quads(cb, t, rows, quads, count, first_sample, end_sample, 2);
        break;
    case 4:
        store_quads(cb, t, rows, quads, count, first_sample, end_sample, 4);
        break;
    case 8:
        store_quads(cb, t, rows, quads, count, first_sample, end_sample, 8);
        break;
    default:
        store_quads(cb, t, rows, quads, count, first_sample, end_sample, 16);
        break;
    }
}

void amd_cb_write_sample(struct cb *cb, unsigned t, unsigned sample, const uint32_t (*rows)[CB_MAX_LANES],
                         const struct raster_quad *quads, uint32_t quad_count, bool is_block)
{
    bool is_found = false;
    const int block = is_block ? enter_block(cb, t, quads, false, &is_found) : -1;
    if (!is_found)
        put_quads(cb, t, rows, quads, quad_count, sample, sample + 1);
    else if (block >= 0)
        store_sample(cb, t, (unsigned)block, sample, rows);
}

void amd_cb_write_raw(struct cb *cb, unsigned t, const uint32_t (*rows)[CB_MAX_LANES], const struct raster_quad *quads,
                      uint32_t quad_count, bool is_block)
{
    const struct cb_target *target = &cb->state->targets[t];
    bool is_found = false;
    const int block = is_block ? enter_block(cb, t, quads, !cb_output_blends(target->output), &is_found) : -1;
    if (is_found) {
        if (block >= 0)
            amd_cb_write_raw_block(cb, t, (unsigned)block, rows);
        return;
    }
    put_quads(cb, t, rows, quads, quad_count, 0, target->samples);
}
