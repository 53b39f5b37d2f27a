/* Blocks of 8 by 8 pixels with one sample as codes in the order of the rasteriser's quads: from memory and to it. Not
 * for the rest (codes.c, color.c), which gives the same results. */
#include <string.h>

#include "adreno/model/rb/rb.h"
#include "model/lanes.h"
#include "model/pixel/pixel_elements.h"

#define QUADS 16
#define ROWS 8

bool adreno_rb_takes_blocks(const struct adreno_rb_target *target)
{
    return target->code_dw && !target->surface.samples_log2;
}

/* Four times four pixels of TILE6_3 are a run of four quads; up to eight bytes a pixel, eight times four are a run of
 * two such. Else there are rows. */
bool adreno_rb_open_block(struct adreno_rb *rb, unsigned t, uint32_t x, uint32_t y, uint32_t layer,
                          struct adreno_rb_block *block)
{
    struct adreno_rb_access *access = &rb->access[t];
    const uint32_t element_B = access->surface->element_B;
    block->is_tiled = access->surface->is_tiled;
    block->element_B = (uint8_t)element_B;
    for (unsigned half = 0; half < 2 && block->is_tiled; half++) {
        uint8_t **at = block->at + 2 * half;
        at[0] = adreno_rb_element(access, (int32_t)x, (int32_t)(y + 4 * half), layer);
        if (!at[0])
            return false;
        at[1] = element_B < 16 ? at[0] + 16 * element_B
                               : adreno_rb_element(access, (int32_t)x + 4, (int32_t)(y + 4 * half), layer);
        if (!at[1])
            return false;
    }
    for (unsigned row = 0; row < ROWS && !block->is_tiled; row++) {
        block->at[row] = adreno_rb_row(access, (int32_t)x, (int32_t)(y + row), layer, 8);
        if (!block->at[row])
            return false;
    }
    return true;
}

/* Where a quad is in a tiled block. */
PIXEL_INLINE uint8_t *quad_at(const struct adreno_rb_block *block, unsigned q, unsigned element_B)
{
    return block->at[q / 8 * 2 + q % 4 / 2] + ((q & 1) | (q >> 1 & 2)) * 4 * element_B;
}

PIXEL_INLINE void load_block(const struct adreno_rb_block *block, uint32_t (*codes)[ADRENO_RB_CODE_LANES],
                             unsigned element_B)
{
    pixel_four upper[4], lower[4];
    for (unsigned q = 0; q < QUADS && block->is_tiled; q++) {
        pixel_get_four(quad_at(block, q, element_B), upper, element_B);
        for (unsigned i = 0; i * 4 < element_B; i++)
            pixel_four_store(codes[i] + 4 * q, upper[i]);
    }
    for (unsigned q = 0; q < QUADS && !block->is_tiled; q += 2) { /* two quads are four pixels of two rows */
        const unsigned row = q / 4 * 2, at_B = q % 4 * 2 * element_B;
        pixel_get_four(block->at[row] + at_B, upper, element_B);
        pixel_get_four(block->at[row + 1] + at_B, lower, element_B);
        for (unsigned i = 0; i * 4 < element_B; i++) {
            pixel_four_store(codes[i] + 4 * q, __builtin_shufflevector(upper[i], lower[i], 0, 1, 4, 5));
            pixel_four_store(codes[i] + 4 * q + 4, __builtin_shufflevector(upper[i], lower[i], 2, 3, 6, 7));
        }
    }
}

PIXEL_INLINE void store_block(const struct adreno_rb_block *block, uint32_t (*codes)[ADRENO_RB_CODE_LANES],
                              unsigned element_B)
{
    pixel_four upper[4], lower[4];
    for (unsigned q = 0; q < QUADS && block->is_tiled; q++) {
        for (unsigned i = 0; i * 4 < element_B; i++)
            upper[i] = pixel_four_load(codes[i] + 4 * q);
        pixel_put_four(quad_at(block, q, element_B), upper, element_B);
    }
    for (unsigned q = 0; q < QUADS && !block->is_tiled; q += 2) {
        const unsigned row = q / 4 * 2, at_B = q % 4 * 2 * element_B;
        for (unsigned i = 0; i * 4 < element_B; i++) {
            const pixel_four left = pixel_four_load(codes[i] + 4 * q), right = pixel_four_load(codes[i] + 4 * q + 4);
            upper[i] = __builtin_shufflevector(left, right, 0, 1, 4, 5);
            lower[i] = __builtin_shufflevector(left, right, 2, 3, 6, 7);
        }
        pixel_put_four(block->at[row] + at_B, upper, element_B);
        pixel_put_four(block->at[row + 1] + at_B, lower, element_B);
    }
}

void adreno_rb_load_block(const struct adreno_rb_block *block, uint32_t (*codes)[ADRENO_RB_CODE_LANES])
{
    switch (block->element_B) {
    case 1:
        load_block(block, codes, 1);
        break;
    case 2:
        load_block(block, codes, 2);
        break;
    case 4:
        load_block(block, codes, 4);
        break;
    case 8:
        load_block(block, codes, 8);
        break;
    default:
        load_block(block, codes, 16);
        break;
    }
}

static void store_all(const struct adreno_rb_block *block, uint32_t (*codes)[ADRENO_RB_CODE_LANES])
{
    switch (block->element_B) {
    case 1:
        store_block(block, codes, 1);
        break;
    case 2:
        store_block(block, codes, 2);
        break;
    case 4:
        store_block(block, codes, 4);
        break;
    case 8:
        store_block(block, codes, 8);
        break;
    default:
        store_block(block, codes, 16);
        break;
    }
}

void adreno_rb_store_block(const struct adreno_rb_block *block, uint32_t (*codes)[ADRENO_RB_CODE_LANES], uint64_t drawn)
{
    uint32_t stored[ADRENO_RB_CODE_DW][ADRENO_RB_CODE_LANES], masks[ADRENO_RB_CODE_LANES];
    if (drawn == UINT64_MAX) {
        store_all(block, codes);
        return;
    }
    adreno_rb_load_block(block, stored);
    lanes_from_mask(masks, drawn, ADRENO_RB_CODE_LANES);
    for (unsigned n = 0; n == 0 || n * 4 < block->element_B; n++) {
        for (unsigned i = 0; i < ADRENO_RB_CODE_LANES; i++)
            stored[n][i] = (codes[n][i] & masks[i]) | (stored[n][i] & ~masks[i]);
    }
    store_all(block, stored);
}
