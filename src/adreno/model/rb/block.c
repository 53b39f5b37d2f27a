/* Blocks of 8 by 8 pixels of targets of four bytes, as codes in the order of the rasteriser's quads: from memory and to
 * it. Not for the rest (color.c, color_bytes.c), which gives the same results. */
#include <string.h>

#include "adreno/model/rb/rb.h"
#include "model/lanes.h"

typedef uint32_t word4 __attribute__((vector_size(16)));

#define QUADS 16
#define ROWS 8

bool adreno_rb_takes_blocks(const struct adreno_rb_target *target)
{
    const struct adreno_rb_surface *surface = &target->surface;
    return target->code_dw == 1 && !target->blend.is_dual && !surface->samples_log2 && surface->element_B == 4;
}

/* A block of 256 bytes in TILE6_3 has 16 by 4 pixels: one half of it is 8 by 4, 128 bytes in a run, in which quads stand
 * two by two. Else they are rows. */
static const uint8_t quad_order[QUADS / 2] = {0, 1, 4, 5, 2, 3, 6, 7};

bool adreno_rb_open_block(struct adreno_rb *rb, unsigned t, uint32_t x, uint32_t y, uint32_t layer,
                          struct adreno_rb_block *block)
{
    struct adreno_rb_access *access = &rb->access[t];
    block->is_tiled = access->surface->is_tiled;
    if (block->is_tiled) {
        for (unsigned half = 0; half < 2; half++) {
            block->at[half] = adreno_rb_element(access, (int32_t)x, (int32_t)(y + 4 * half), layer);
            if (!block->at[half])
                return false;
        }
        return true;
    }
    for (unsigned row = 0; row < ROWS; row++) {
        block->at[row] = adreno_rb_row(access, (int32_t)x, (int32_t)(y + row), layer, 8);
        if (!block->at[row])
            return false;
    }
    return true;
}

static inline word4 load4(const void *from)
{
    word4 value;
    memcpy(&value, from, sizeof(value));
    return value;
}

void adreno_rb_load_block(const struct adreno_rb_block *block, uint32_t codes[64])
{
    if (block->is_tiled) {
        for (unsigned q = 0; q < QUADS; q++)
            memcpy(codes + 4 * q, block->at[q / 8] + 16 * quad_order[q % 8], 16);
        return;
    }
    for (unsigned q = 0; q < QUADS; q += 2) { /* two quads are four pixels of two rows */
        const unsigned row = q / 4 * 2, at_B = q % 4 * 8;
        const word4 upper = load4(block->at[row] + at_B), lower = load4(block->at[row + 1] + at_B);
        const word4 left = __builtin_shufflevector(upper, lower, 0, 1, 4, 5),
                    right = __builtin_shufflevector(upper, lower, 2, 3, 6, 7);
        memcpy(codes + 4 * q, &left, sizeof(left));
        memcpy(codes + 4 * q + 4, &right, sizeof(right));
    }
}

static void store_all(const struct adreno_rb_block *block, const uint32_t codes[64])
{
    if (block->is_tiled) {
        for (unsigned q = 0; q < QUADS; q++)
            memcpy(block->at[q / 8] + 16 * quad_order[q % 8], codes + 4 * q, 16);
        return;
    }
    for (unsigned q = 0; q < QUADS; q += 2) {
        const unsigned row = q / 4 * 2, at_B = q % 4 * 8;
        const word4 left = load4(codes + 4 * q), right = load4(codes + 4 * q + 4);
        const word4 upper = __builtin_shufflevector(left, right, 0, 1, 4, 5),
                    lower = __builtin_shufflevector(left, right, 2, 3, 6, 7);
        memcpy(block->at[row] + at_B, &upper, sizeof(upper));
        memcpy(block->at[row + 1] + at_B, &lower, sizeof(lower));
    }
}

void adreno_rb_store_block(const struct adreno_rb_block *block, const uint32_t codes[64], uint64_t drawn)
{
    uint32_t stored[64], masks[64];
    if (drawn == UINT64_MAX) {
        store_all(block, codes);
        return;
    }
    adreno_rb_load_block(block, stored);
    lanes_from_mask(masks, drawn, 64);
    for (unsigned i = 0; i < 64; i++)
        stored[i] = (codes[i] & masks[i]) | (stored[i] & ~masks[i]);
    store_all(block, stored);
}
