/* Quads of a wave by their tile: where all are in one, whose memory is one piece of the host's, no block is looked
 * up. */
#include "amd/model/cb/cb_quads.h"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

/* Of the quads: whether they are of one tile, the blocks of 8 by 8 that some pixel is written in, and those pixels. */
struct found {
    bool is_one_tile;
    uint64_t blocks, lanes;
};

#if defined(__AVX512BW__)

static inline uint64_t unite_bits(__m512i bits)
{
    return (uint64_t)_mm512_reduce_or_epi64(bits);
}

static inline struct found find_places(const struct cb_surface *surface, uint32_t first,
                                       const struct raster_quad *quads, uint32_t count,
                                       uint32_t places[CB_MAX_LANES / 4])
{
    const __mmask16 all = (__mmask16)bits_mask(count);
    const __m512i at = _mm512_mullo_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                                          _mm512_set1_epi32(sizeof(*quads))),
                  start = _mm512_set1_epi32(quads->x | quads->y << 16),
                  corners = _mm512_mask_i32gather_epi32(start, all, at, &quads->x, 1),
                  masks = _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), all, at, &quads->mask, 1);
    const __m512i x = _mm512_permutex2var_epi32(_mm512_loadu_si512(surface->quad_x), _mm512_srli_epi32(corners, 1),
                                                _mm512_loadu_si512(surface->quad_x + 16)),
                  y = _mm512_permutex2var_epi32(_mm512_loadu_si512(surface->quad_y), _mm512_srli_epi32(corners, 17),
                                                _mm512_loadu_si512(surface->quad_y + 16));
    _mm512_storeu_si512(places, _mm512_ternarylogic_epi32(x, y, _mm512_set1_epi32((int32_t)first), 0x96));
    const __m512i seven = _mm512_set1_epi32(7), one = _mm512_set1_epi64(1),
                  of_x = _mm512_and_si512(_mm512_srli_epi32(corners, 3), seven),
                  of_y = _mm512_and_si512(_mm512_srli_epi32(corners, 19), seven),
                  block = _mm512_or_si512(of_x, _mm512_slli_epi32(of_y, 3));
    const __mmask16 written = _mm512_test_epi32_mask(masks, masks);
    const __m512i low = _mm512_maskz_sllv_epi64((__mmask8)written, one,
                                                _mm512_cvtepu32_epi64(_mm512_castsi512_si256(block))),
                  high = _mm512_maskz_sllv_epi64((__mmask8)(written >> 8), one,
                                                 _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(block, 1)));
    const __m512i of_tile = _mm512_set1_epi32((int32_t)0xffc0ffc0u);
    _Static_assert(SC_TILE_LOG2 == 6, "these bits of a coordinate");
    return (struct found){!_mm512_test_epi32_mask(_mm512_xor_si512(corners, start), of_tile),
                          unite_bits(_mm512_or_si512(low, high)), _mm512_test_epi8_mask(masks, _mm512_set1_epi8(1))};
}

#else

static inline struct found find_places(const struct cb_surface *surface, uint32_t first,
                                       const struct raster_quad *quads, uint32_t count,
                                       uint32_t places[CB_MAX_LANES / 4])
{
    struct found found = {.is_one_tile = true};
    for (uint32_t q = 0; q < count; q++) {
        const uint32_t x = quads[q].x, y = quads[q].y;
        found.is_one_tile &= !(((x ^ quads->x) | (y ^ quads->y)) >> SC_TILE_LOG2);
        places[q] = first ^ surface->quad_x[x >> 1 & 31] ^ surface->quad_y[y >> 1 & 31];
        found.blocks |= (uint64_t)(quads[q].mask != 0) << ((y >> 3 & 7) * 8 + (x >> 3 & 7));
        found.lanes |= (uint64_t)cb_pixels_of(&quads[q], 0) << q * 4;
    }
    return found;
}

#endif

/* Blocks that nothing has expanded yet. */
static bool prepare_blocks(struct cb *cb, unsigned t, struct cb_tile *tile, uint64_t blocks)
{
    blocks &= ~tile->known;
    tile->known |= blocks;
    bits_foreach (blocks, b) {
        if (!amd_cb_meta_prepare_block(cb, t, (tile->x << SC_TILE_LOG2) + (uint32_t)b % 8 * 8,
                                       (tile->y << SC_TILE_LOG2) + (uint32_t)b / 8 * 8, tile->slice, false))
            return false;
    }
    return true;
}

bool amd_cb_place_quads(struct cb *cb, unsigned t, const struct raster_quad *quads, uint32_t count,
                        struct cb_places *out)
{
    const struct cb_target *target = &cb->state->targets[t];
    const struct cb_surface *surface = target->surface;
    out->host = NULL;
    if (!surface->has_tiles || target->samples != 1 || target->slice_start != target->slice_max)
        return true;
    struct cb_tile *tile = cb_tile_at(cb, t, quads->x, quads->y, target->slice_max);
    if (!tile->is_asked)
        amd_cb_map_tile(cb, surface, tile);
    if (!tile->host)
        return true;
    const struct found found = find_places(surface, (uint32_t)(tile->va[0] - tile->host_va), quads, count, out->places);
    if (!found.is_one_tile)
        return true;
    if (target->meta && found.blocks & ~tile->known && !prepare_blocks(cb, t, tile, found.blocks))
        return false;
    out->lanes = found.lanes;
    out->host = tile->host;
    return true;
}
