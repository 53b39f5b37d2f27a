/* Pixels of a wave to the targets. A wave is split where a later primitive covers a pixel of an earlier one: it must
 * blend with what the earlier one has written. */
#include "amd/model/cb/cb_quads.h"

#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "amd/model/sq/sq_quads.h"
#include "util/bits.h"

/* Pixels at different places, one sample each. */
struct span {
    uint32_t count;
    uint8_t lane[CB_MAX_LANES];
    void *host[CB_MAX_LANES];
};

bool amd_cb_find_quad(struct cb *cb, unsigned t, const struct raster_quad *quad, uint32_t pixels, unsigned sample,
                      uint8_t *host[4])
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_surface *surface = target->surface;
    uint32_t slice = cb_slice_of(target, quad);
    if (surface->has_blocks) {
        const struct cb_block *block = cb_enter_block(cb, t, quad, slice, false);
        if (!block)
            return false;
        uint32_t low = block->low[sample] ^ cb_block_bits(surface, quad->x, quad->y);
        for (unsigned p = 0; p < 4; p++)
            host[p] = block->host[sample] + (low ^ surface->quad_xor[p]);
        return true;
    }
    bits_foreach (pixels, p) {
        uint32_t x = quad->x + (p & 1), y = quad->y + (uint32_t)p / 2;
        if (target->meta && !amd_cb_meta_prepare(cb, t, x, y, slice, sample))
            return false;
        host[p] = cb_access(cb, cb_surface_at(surface, x, y, slice, sample), target->element_B);
        if (!host[p])
            return false;
    }
    return true;
}

static bool gather_spans(struct cb *cb, unsigned t, const struct raster_quad *quads, uint32_t first, uint32_t end,
                         unsigned sample, struct span *span)
{
    span->count = 0;
    for (uint32_t q = first; q < end; q++) {
        uint32_t pixels = cb_pixels_of(&quads[q], sample);
        uint8_t *host[4];
        if (!pixels)
            continue;
        if (!amd_cb_find_quad(cb, t, &quads[q], pixels, sample, host))
            return false;
        bits_foreach (pixels, p) {
            span->lane[span->count] = (uint8_t)(q * 4 + p);
            span->host[span->count++] = host[p];
        }
    }
    return true;
}

static void store_colors(const struct cb_target *target, void *const *host, const union cb_color *colors,
                         uint32_t count)
{
    if (target->numeric == CB_UINT)
        target->codec->store_uint(host, (const uint32_t(*)[4])colors, count);
    else if (target->numeric == CB_SINT)
        target->codec->store_sint(host, (const int32_t(*)[4])colors, count);
    else
        target->codec->store_float(host, (const float(*)[4])colors, count);
}

/* Through a copy, for targets of which not all bits are written. */
static void store_masked(const struct cb_target *target, void *const *host, const union cb_color *colors,
                         uint32_t count)
{
    uint8_t codes[CB_MAX_LANES][CB_MAX_ELEMENT_B];
    void *at[CB_MAX_LANES];
    for (uint32_t i = 0; i < count; i++)
        at[i] = codes[i];
    store_colors(target, at, colors, count);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *to = host[i];
        for (unsigned b = 0; b < target->element_B; b++) {
            uint8_t code = target->rop ? pixel_logic(target->rop_code, codes[i][b], to[b]) : codes[i][b];
            to[b] = (uint8_t)((to[b] & ~target->bits[b]) | (code & target->bits[b]));
        }
    }
}

/* The span's pixels in memory, as colours. */
static void fetch_span(const struct cb_target *target, const struct span *span, union pixel_colors *colors)
{
    float stored[CB_MAX_LANES][4];
    target->codec->fetch_float(stored, (const void *const *)span->host, span->count);
    for (unsigned c = 0; c < 4; c++) {
        if (!(target->present >> c & 1)) {
            for (uint32_t i = 0; i < CB_MAX_LANES; i++)
                colors->f[c][i] = c == 3;
        }
    }
    const struct format_info *info = format_info(target->format);
    for (unsigned n = 0; n < info->channel_count; n++) {
        const unsigned k = info->channels[n].component;
        for (uint32_t i = 0; k < 4 && i < span->count; i++)
            colors->f[target->from[k]][i] = stored[i][k];
    }
}

static void pick_span(const struct span *span, const union pixel_colors *colors, union pixel_colors *out)
{
    for (unsigned c = 0; c < 4; c++) {
        for (uint32_t i = 0; i < span->count; i++)
            out->u[c][i] = colors->u[c][span->lane[i]];
        memset(&out->u[c][span->count], 0, (CB_MAX_LANES - span->count) * sizeof(out->u[c][0]));
    }
}

/* Quads that have no pixel in common, in the format's own way. */
static void write_target(struct cb *cb, unsigned t, const union pixel_colors *colors, const union pixel_colors *second,
                         const struct raster_quad *quads, uint32_t first, uint32_t end)
{
    const struct cb_target *target = &cb->state->targets[t];
    for (unsigned sample = 0; sample < target->samples; sample++) {
        struct span span;
        union pixel_colors out;
        union cb_color codes[CB_MAX_LANES];
        if (!gather_spans(cb, t, quads, first, end, sample, &span))
            return;
        if (!span.count)
            continue;
        pick_span(&span, colors, &out);
        if (target->blend) {
            union pixel_colors stored = {.f = {{0}}}, source1;
            fetch_span(target, &span, &stored);
            if (second)
                pick_span(&span, second, &source1);
            pixel_blend(&target->blending, &out, second ? &source1 : NULL, &stored);
        }
        for (uint32_t i = 0; i < span.count; i++) {
            for (unsigned k = 0; k < 4; k++)
                codes[i].u[k] = out.u[target->from[k]][i];
        }
        if (target->whole && !target->rop)
            store_colors(target, span.host, codes, span.count);
        else
            store_masked(target, span.host, codes, span.count);
    }
}

/* ---- four bytes, unorm or sRGB ---- */

/* Two quads are four elements of a row and four of the next. */
void amd_cb_store_block(const struct cb_surface *surface, const struct cb_block *block, unsigned sample,
                        const uint32_t *codes)
{
    uint8_t *host = block->host[sample];
    const uint32_t low = block->low[sample];
    for (unsigned q = 0; q < 16 && surface->fours_are_rows; q += 2) {
        const unsigned four = q / 4 * 4 + q % 4 / 2;
        sq_quad left = sq_quad_load(codes + q * 4), right = sq_quad_load(codes + q * 4 + 4);
        sq_quad_store(host + (low ^ surface->four_at[four]), __builtin_shufflevector(left, right, 0, 1, 4, 5));
        sq_quad_store(host + (low ^ surface->four_at[four + 2]), __builtin_shufflevector(left, right, 2, 3, 6, 7));
    }
    for (unsigned q = 0; q < 16 && !surface->fours_are_rows; q++)
        cb_put_quad(surface, host, low ^ surface->block_x[q % 4 * 2] ^ surface->block_y[q / 4 * 2], codes + q * 4);
}

void amd_cb_load_block(const struct cb_surface *surface, const struct cb_block *block, unsigned sample, uint32_t *codes)
{
    uint8_t *host = block->host[sample];
    const uint32_t low = block->low[sample];
    for (unsigned q = 0; q < 16 && surface->fours_are_rows; q += 2) {
        const unsigned four = q / 4 * 4 + q % 4 / 2;
        sq_quad top = sq_quad_load(host + (low ^ surface->four_at[four])),
                bottom = sq_quad_load(host + (low ^ surface->four_at[four + 2]));
        sq_quad_store(codes + q * 4, __builtin_shufflevector(top, bottom, 0, 1, 4, 5));
        sq_quad_store(codes + q * 4 + 4, __builtin_shufflevector(top, bottom, 2, 3, 6, 7));
    }
    for (unsigned q = 0; q < 16 && !surface->fours_are_rows; q++)
        cb_get_quad(surface, host, low ^ surface->block_x[q % 4 * 2] ^ surface->block_y[q / 4 * 2], codes + q * 4);
}

/* Elements of a quad, two neighbours at `top` and two at `bottom`, of which some are written: bit 0 of `pixels` stands
 * for the first, bit 8 for the second and so on. Which ones cannot be predicted by the host: so without a branch,
 * writing back what is there for the others. */
#if defined(__AVX2__)
static inline void store_pairs(uint8_t *top, uint8_t *bottom, const uint32_t *codes, uint32_t pixels)
{
    const __m128 colors = _mm_castsi128_ps(_mm_loadu_si128((const __m128i *)codes)),
                 signs = _mm_castsi128_ps(_mm_slli_epi32(_mm_cvtepu8_epi32(_mm_cvtsi32_si128((int32_t)pixels)), 31)),
                 first = _mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)top)),
                 out = _mm_blendv_ps(_mm_loadh_pi(first, (const __m64 *)bottom), colors, signs);
    _mm_storel_pi((__m64 *)top, out);
    _mm_storeh_pi((__m64 *)bottom, out);
}
#else
static inline void store_pair(uint8_t *at, const uint32_t *codes, uint32_t pixels)
{
    const uint64_t first = -(uint64_t)(pixels & 1) & UINT32_MAX, second = -(uint64_t)(pixels >> 8 & 1) << 32,
                   mask = first | second;
    uint64_t old, pair;
    memcpy(&old, at, sizeof(old));
    memcpy(&pair, codes, sizeof(pair));
    pair = (pair & mask) | (old & ~mask);
    memcpy(at, &pair, sizeof(pair));
}

static inline void store_pairs(uint8_t *top, uint8_t *bottom, const uint32_t *codes, uint32_t pixels)
{
    store_pair(top, codes, pixels);
    store_pair(bottom, codes + 2, pixels >> 16);
}
#endif

/* The places of a surface that each quad needs: known to stay while pixels are written. */
struct quad_places {
    const struct cb_surface *surface;
    uint32_t block_log2, in_block; /* the bits of a coordinate in a block */
    uint32_t below;                /* of quad_xor */
    bool are_pairs;
};

/* A quad's elements that its mask has, from one sample to another. */
static inline __attribute__((always_inline)) void store_quad(const struct quad_places *places,
                                                             const struct cb_block *block, const uint32_t *codes,
                                                             const struct raster_quad *quad, unsigned first,
                                                             unsigned end)
{
    const struct cb_surface *surface = places->surface;
    const uint32_t bits = surface->block_x[quad->x & places->in_block] ^ surface->block_y[quad->y & places->in_block];
    uint64_t upper, lower;
    memcpy(&upper, codes, sizeof(upper));
    memcpy(&lower, codes + 2, sizeof(lower));
    for (unsigned s = first; s < end; s++) {
        uint32_t low = block->low[s] ^ bits, pixels = quad->mask >> s & 0x01010101u;
        if (!pixels)
            continue;
        uint8_t *host = block->host[s], *top = host + low, *bottom = host + (low ^ places->below);
        if (places->are_pairs && pixels == 0x01010101u) {
            memcpy(top, &upper, sizeof(upper));
            memcpy(bottom, &lower, sizeof(lower));
        } else if (places->are_pairs) {
            store_pairs(top, bottom, codes, pixels);
        } else {
            for (unsigned p = 0; p < 4; p++) {
                if (pixels >> p * 8 & 1)
                    memcpy(host + (low ^ surface->quad_xor[p]), &codes[p], sizeof(codes[p]));
            }
        }
    }
}

/* ---- FMASK pixel by pixel ---- */

/* A pixel of which some samples are written, from fragment 0 or from its own. */
static inline void store_some(const struct cb_block *block, uint32_t bits, unsigned samples, uint32_t code,
                              unsigned written, bool is_spread)
{
    uint32_t first, old;
    memcpy(&first, block->host[0] + (block->low[0] ^ bits), sizeof(first));
    for (unsigned s = 0; s < samples; s++) {
        uint8_t *at = block->host[s] + (block->low[s] ^ bits);
        memcpy(&old, at, sizeof(old));
        old = written >> s & 1 ? code : is_spread ? old : first;
        memcpy(at, &old, sizeof(old));
    }
}

/* A quad's numbers are four bytes of FMASK. */
static inline void store_quad_by_pixel(const struct quad_places *places, const struct cb_target *target,
                                       const struct cb_block *block, const uint32_t *codes,
                                       const struct raster_quad *quad, uint8_t own)
{
    const struct cb_surface *surface = places->surface, *fmask = &target->meta->fmask;
    const uint32_t bits = cb_block_bits(surface, quad->x, quad->y), all = (uint32_t)bits_mask(target->samples);
    uint8_t *const numbers = cb_block_numbers(block) + cb_block_bits(fmask, quad->x, quad->y);
    if (quad->mask == all * 0x01010101u) {
        cb_put_quad(surface, block->host[0], block->low[0] ^ bits, codes);
        memset(numbers, 0, 4);
        return;
    }
    for (unsigned p = 0; p < 4; p++) {
        const unsigned written = quad->mask >> p * 8 & 0xff;
        const uint32_t of_pixel = bits ^ surface->quad_xor[p];
        if (!written)
            continue;
        if (written == all) {
            memcpy(block->host[0] + (block->low[0] ^ of_pixel), &codes[p], sizeof(codes[p]));
            numbers[p] = 0;
        } else {
            store_some(block, of_pixel, target->samples, codes[p], written, numbers[p] != 0);
            numbers[p] = own;
        }
    }
}

/* Whole elements of quads in blocks: all samples of a quad, then the next, so that a block is looked up once. */
static inline __attribute__((always_inline)) bool store_samples(struct cb *cb, unsigned t, const uint32_t *codes,
                                                                const struct raster_quad *quads, uint32_t first,
                                                                uint32_t end, unsigned first_sample,
                                                                unsigned end_sample, bool by_pixel)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_surface *surface = target->surface;
    const uint8_t own = by_pixel ? amd_cb_meta_own(target) : 0;
    const struct quad_places places = {surface, surface->block_log2, (1u << surface->block_log2) - 1,
                                       surface->quad_xor[2], surface->quad_xor[1] == sizeof(*codes)};
    const struct cb_block *block = NULL;
    const struct raster_quad *last = NULL;
    for (uint32_t q = first; q < end; q++) {
        const struct raster_quad *quad = &quads[q];
        if (!quad->mask)
            continue;
        bool same =
            last && last->prim == quad->prim && !(((last->x ^ quad->x) | (last->y ^ quad->y)) >> places.block_log2);
        if (!same)
            block = cb_enter_block(cb, t, quad, cb_slice_of(target, quad), false);
        if (!block)
            return false;
        last = quad;
        if (by_pixel)
            store_quad_by_pixel(&places, target, block, codes + q * 4, quad, own);
        else
            store_quad(&places, block, codes + q * 4, quad, first_sample, end_sample);
    }
    return true;
}

/* One sample of quads that are found by their tile, of elements that are neighbours in pairs. */
static void store_placed(const struct cb_surface *surface, const struct cb_places *at, const uint32_t *codes,
                         uint32_t count)
{
    for (uint32_t q = 0; q < count; q++) {
        const uint32_t low = at->places[q], pixels = at->lanes >> q * 4 & 15;
        uint8_t *top = at->host + low, *bottom = at->host + (low ^ surface->quad_xor[2]);
#if defined(__AVX512VL__)
        const __m128i row = _mm_loadu_si128((const __m128i *)(codes + q * 4));
        _mm_mask_storeu_epi32(top, pixels & 3, row);
        _mm_mask_storeu_epi32(bottom, (__mmask8)(pixels >> 2), _mm_unpackhi_epi64(row, row));
#else
        if (pixels == 15) {
            memcpy(top, codes + q * 4, 2 * sizeof(*codes));
            memcpy(bottom, codes + q * 4 + 2, 2 * sizeof(*codes));
        } else if (pixels) {
            store_pairs(top, bottom, codes + q * 4, (pixels | pixels << 7 | pixels << 14 | pixels << 21) & 0x01010101u);
        }
#endif
    }
}

/* Most surfaces have one sample. */
static bool store_quads(struct cb *cb, unsigned t, const uint32_t *codes, const struct raster_quad *quads,
                        uint32_t first, uint32_t end, unsigned first_sample, unsigned end_sample)
{
    const struct cb_surface *surface = cb->state->targets[t].surface;
    struct cb_places places;
    if (first_sample == 0 && end_sample == 1 && surface->quad_xor[1] == sizeof(*codes)) {
        if (!amd_cb_place_quads(cb, t, quads + first, end - first, &places))
            return false;
        if (places.host) {
            store_placed(surface, &places, codes + first * 4, end - first);
            return true;
        }
    }
    if (first_sample == 0 && end_sample == 1)
        return store_samples(cb, t, codes, quads, first, end, 0, 1, false);
    if (cb->state->targets[t].by_pixel) /* whose samples are written all at once */
        return store_samples(cb, t, codes, quads, first, end, first_sample, end_sample, true);
    return store_samples(cb, t, codes, quads, first, end, first_sample, end_sample, false);
}

/* One sample of quads in blocks from memory: what lies beside the pixels in question does no harm. */
static bool load_quads(struct cb *cb, unsigned t, uint32_t *codes, const struct raster_quad *quads, uint32_t first,
                       uint32_t end, unsigned sample)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_surface *surface = target->surface;
    struct cb_places places;
    if (!amd_cb_place_quads(cb, t, quads + first, end - first, &places))
        return false;
    if (places.host) { /* of one sample */
        for (uint32_t q = first; q < end; q++)
            cb_get_quad(surface, places.host, places.places[q - first], codes + q * 4);
        return true;
    }
    for (uint32_t q = first; q < end; q++) {
        if (!(quads[q].mask >> sample & 0x01010101u))
            continue;
        const struct cb_block *block = cb_enter_block(cb, t, &quads[q], cb_slice_of(target, &quads[q]), false);
        if (!block)
            return false;
        cb_get_quad(surface, block->host[sample], block->low[sample] ^ cb_block_bits(surface, quads[q].x, quads[q].y),
                    codes + q * 4);
    }
    return true;
}

/* One sample of any quads from memory. */
static bool fetch_quads(struct cb *cb, unsigned t, uint32_t *codes, const struct raster_quad *quads, uint32_t first,
                        uint32_t end, unsigned sample)
{
    if (cb->state->targets[t].surface->has_blocks)
        return load_quads(cb, t, codes, quads, first, end, sample);
    for (uint32_t q = first; q < end; q++) {
        uint32_t pixels = cb_pixels_of(&quads[q], sample);
        uint8_t *host[4];
        if (!pixels)
            continue;
        if (!amd_cb_find_quad(cb, t, &quads[q], pixels, sample, host))
            return false;
        bits_foreach (pixels, p)
            memcpy(&codes[q * 4 + p], host[p], sizeof(*codes));
    }
    return true;
}

/* Stores to memory where there are no blocks or some bits stay. */
static bool store_mixed(struct cb *cb, unsigned t, const uint32_t *codes, const struct raster_quad *quads,
                        uint32_t first, uint32_t end, unsigned sample)
{
    uint32_t bits, old;
    memcpy(&bits, cb->state->targets[t].bits, sizeof(bits));
    for (uint32_t q = first; q < end; q++) {
        uint32_t pixels = cb_pixels_of(&quads[q], sample);
        uint8_t *host[4];
        if (!pixels)
            continue;
        if (!amd_cb_find_quad(cb, t, &quads[q], pixels, sample, host))
            return false;
        bits_foreach (pixels, p) {
            memcpy(&old, host[p], sizeof(old));
            uint32_t mixed = (old & ~bits) | (codes[q * 4 + p] & bits);
            memcpy(host[p], &mixed, sizeof(mixed));
        }
    }
    return true;
}

static bool put_quads(struct cb *cb, unsigned t, const uint32_t *codes, const struct raster_quad *quads, uint32_t first,
                      uint32_t end, unsigned sample)
{
    const struct cb_target *target = &cb->state->targets[t];
    if (target->surface->has_blocks && target->whole)
        return store_quads(cb, t, codes, quads, first, end, sample, sample + 1);
    return store_mixed(cb, t, codes, quads, first, end, sample);
}

static bool has_whole_block(const struct cb_target *target, const struct raster_quad *quads, uint32_t first,
                            uint32_t end)
{
    return target->whole && cb_takes_blocks(target) && first == 0 && cb_is_whole_block(quads, end, target->samples);
}

static void blend_bytes4(struct cb *cb, unsigned t, const union pixel_colors *colors, const union pixel_colors *second,
                         const struct raster_quad *quads, uint32_t first, uint32_t end)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_block *block = NULL;
    if (has_whole_block(target, quads, first, end)) {
        block = cb_enter_block(cb, t, quads, cb_slice_of(target, quads), false);
        if (!block)
            return;
    }
    for (unsigned sample = 0; sample < target->samples; sample++) {
        uint32_t codes[CB_MAX_LANES] = {0};
        if (block)
            amd_cb_load_block(target->surface, block, sample, codes);
        else if (!fetch_quads(cb, t, codes, quads, first, end, sample))
            return;
        if (target->blending.sums) {
            pixel_blend_bytes4(&target->blending, colors, second, codes);
        } else {
            union pixel_colors out = *colors, stored;
            amd_cb_unpack_bytes4(target, codes, &stored);
            pixel_blend(&target->blending, &out, second, &stored);
            amd_cb_pack_bytes4(target, &out, codes);
        }
        if (block)
            amd_cb_store_block(target->surface, block, sample, codes);
        else if (!put_quads(cb, t, codes, quads, first, end, sample))
            return;
    }
}

/* Codes of which some bits are written. */
static void store_bits(struct cb *cb, unsigned t, const uint32_t *codes, const struct raster_quad *quads,
                       uint32_t quad_count)
{
    for (unsigned sample = 0; sample < cb->state->targets[t].samples; sample++) {
        if (!store_mixed(cb, t, codes, quads, 0, quad_count, sample))
            return;
    }
}

/* All samples of 8 by 8 pixels. */
static void write_whole_block(struct cb *cb, unsigned t, const uint32_t *codes, const struct raster_quad *quads)
{
    const struct cb_target *target = &cb->state->targets[t];
    const uint32_t slice = cb_slice_of(target, quads);
    bool is_joined = false;
    struct cb_block pieces;
    const struct cb_block *known = cb_block_slot(&cb->blocks[t], target->surface, quads->x, quads->y);
    if (target->by_pixel && cb_block_is(target->surface, known, cb->draw, quads->x, quads->y, slice)) {
        amd_cb_store_block(target->surface, known, 0, codes);
        memset(cb_block_numbers(known), 0, 64);
        return;
    }
    if (!target->blend && !amd_cb_meta_join(cb, t, quads->x, quads->y, slice, &is_joined))
        return;
    const struct cb_block *block =
        !is_joined ? cb_enter_block(cb, t, quads, slice, !target->blend && !cb_output_blends(target->output))
        : amd_cb_find_pieces(cb, target->surface, quads->x, quads->y, slice, &pieces) ? &pieces
                                                                                      : NULL;
    for (unsigned sample = 0; block && sample < (is_joined ? 1 : target->samples); sample++)
        amd_cb_store_block(target->surface, block, sample, codes);
}

void amd_cb_write_codes(struct cb *cb, unsigned t, const uint32_t *codes, const struct raster_quad *quads,
                        uint32_t quad_count, bool is_block)
{
    const struct cb_target *target = &cb->state->targets[t];
    if (is_block && cb_takes_blocks(target)) {
        write_whole_block(cb, t, codes, quads);
        return;
    }
    if (cb_has_all_bits(target) && target->surface->has_blocks)
        store_quads(cb, t, codes, quads, 0, quad_count, 0, target->samples);
    else
        store_bits(cb, t, codes, quads, quad_count);
}

bool amd_cb_read_codes(struct cb *cb, unsigned t, unsigned sample, uint32_t *codes, const struct raster_quad *quads,
                       uint32_t quad_count, bool is_block)
{
    const struct cb_target *target = &cb->state->targets[t];
    if (!is_block || !cb_takes_blocks(target))
        return fetch_quads(cb, t, codes, quads, 0, quad_count, sample);
    const struct cb_block *block = cb_enter_block(cb, t, quads, cb_slice_of(target, quads), false);
    if (block)
        amd_cb_load_block(target->surface, block, sample, codes);
    return block;
}

/* ---- blocks without quads ---- */

bool amd_cb_takes_blocks(const struct cb_target *target)
{
    return ((target->output != CB_OUTPUT_ROWS || target->is_raw) && cb_takes_blocks(target)) ||
           cb_takes_wide_blocks(target);
}

bool amd_cb_reaches_blocks(struct cb *cb, unsigned t, const struct raster_tile *tile, uint32_t layer)
{
    const struct cb_target *target = &cb->state->targets[t];
    if (!target->surface->has_wide)
        return true;
    struct cb_tile *at =
        cb_tile_at(cb, t, (uint32_t)tile->x, (uint32_t)tile->y, MIN2(target->slice_start + layer, target->slice_max));
    if (!at->is_asked)
        amd_cb_map_tile(cb, target->surface, at);
    return at->host;
}

bool amd_cb_open_blocks(struct cb *cb, unsigned t, const struct raster_tile *tile, uint32_t layer, uint64_t blocks,
                        bool kills)
{
    const struct cb_target *target = &cb->state->targets[t];
    const uint32_t slice = MIN2(target->slice_start + layer, target->slice_max);
    const bool overwritten = !target->blend && !cb_output_blends(target->output) && !kills;
    if (target->meta && !amd_cb_meta_prepare_blocks(cb, t, tile, slice, blocks, overwritten))
        return false;
    struct cb_tile *at = cb_tile_at(cb, t, (uint32_t)tile->x, (uint32_t)tile->y, slice);
    if (target->surface->has_tiles && !at->host)
        amd_cb_map_tile(cb, target->surface, at);
    if (target->surface->has_wide)
        return true;
    if (at->host && !target->by_pixel) {
        amd_cb_find_blocks(cb, t, at, blocks);
        return true;
    }
    bits_foreach (blocks, b) {
        const uint32_t x = (uint32_t)tile->x + (uint32_t)b % 8 * 8, y = (uint32_t)tile->y + (uint32_t)b / 8 * 8;
        if (!cb_enter_block_at(cb, t, x, y, slice, false))
            return false;
    }
    return true;
}

/* Blocks of 8 by 8 pixels stand in their slots by their numbers in the tile. */
_Static_assert(CB_BLOCKS_LOG2 == 3 && SC_TILE_LOG2 == 6, "a slot for each block of a tile");

void amd_cb_write_block(struct cb *cb, unsigned t, unsigned b, const uint32_t *codes)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_block *block = &cb->blocks[t].at[b];
    for (unsigned sample = 0; sample < (target->by_pixel ? 1 : target->samples); sample++)
        amd_cb_store_block(target->surface, block, sample, codes);
    if (target->by_pixel)
        memset(cb_block_numbers(block), 0, 64);
}

/* ---- waves ---- */

/* A bit for the place of a quad in a square of 16 by 16 pixels: quads with different bits are apart. */
static uint64_t place_of(const struct raster_quad *quad)
{
    return 1ull << ((quad->x >> 1 & 7) | (quad->y >> 1 & 7) << 3);
}

/* The end of the quads from `first` on that have no pixel in common: of one primitive, or at different places. */
static uint32_t find_cut(const struct raster_quad *quads, uint32_t first, uint32_t quad_count)
{
    uint64_t places = place_of(&quads[first]);
    if (raster_is_one_prim(quads + first, quad_count - first))
        return quad_count;
    for (uint32_t end = first + 1; end < quad_count; end++) {
        const uint64_t before = places, place = place_of(&quads[end]);
        places |= place;
        for (uint32_t q = first; q < end && before & place; q++) {
            if (quads[q].x == quads[end].x && quads[q].y == quads[end].y && quads[q].prim != quads[end].prim)
                return end;
        }
    }
    return quad_count;
}

uint32_t amd_cb_count_apart(const struct raster_quad *quads, uint32_t quad_count)
{
    return find_cut(quads, 0, quad_count);
}

void amd_cb_write(struct cb *cb, const struct cb_exports *exports, const struct raster_quad *quads, uint32_t quad_count)
{
    const struct cb_state *state = cb->state;
    if (__builtin_expect(cb->coherence != NULL, 0))
        amd_cb_note(cb, quads, quad_count);
    bits_foreach (state->used, t) {
        const struct cb_target *target = &state->targets[t];
        const uint32_t(*rows)[CB_MAX_LANES] = exports->rows[target->export];
        if (!(exports->valid >> target->export & 1))
            continue;
        if (target->bytes4 && !target->blend) {
            uint32_t codes[CB_MAX_LANES];
            amd_cb_convert_bytes4(target, rows, codes);
            if (target->whole)
                amd_cb_write_codes(cb, (unsigned)t, codes, quads, quad_count,
                                   cb_is_whole_block(quads, quad_count, target->samples));
            else
                store_bits(cb, (unsigned)t, codes, quads, quad_count);
            continue;
        }
        if (target->is_raw) {
            amd_cb_write_raw(cb, (unsigned)t, rows, quads, quad_count,
                             cb_is_whole_block(quads, quad_count, target->samples));
            continue;
        }
        union pixel_colors colors, second;
        (target->blending.sums ? amd_cb_convert_unit : amd_cb_convert)(target, rows, &colors);
        if (target->blending.is_dual)
            (target->blending.sums ? amd_cb_convert_unit : amd_cb_convert)(target, exports->rows[1], &second);
        for (uint32_t first = 0, end; first < quad_count; first = end) {
            end = find_cut(quads, first, quad_count);
            (target->bytes4 ? blend_bytes4 : write_target)(
                cb, (unsigned)t, &colors, target->blending.is_dual ? &second : NULL, quads, first, end);
        }
    }
}
