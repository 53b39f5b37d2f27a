/* Blocks of 8 by 8 pixels of targets of four or eight bytes, as codes in the order of the rasteriser's quads: from memory and to
 * it. Not for the rest (color.c, color_bytes.c), which gives the same results. */
#include <string.h>

#include "adreno/model/rb/rb.h"
#include "model/lanes.h"

typedef uint32_t word4 __attribute__((vector_size(16)));

#define QUADS 16
#define ROWS 8

/* Four halves of a pixel, or one word. */
static bool has_codes(const struct adreno_rb_target *target, uint32_t code_dw)
{
    return target->code_dw == code_dw && target->surface.element_B == 4 * code_dw;
}

bool adreno_rb_takes_blocks(const struct adreno_rb_target *target)
{
    return (has_codes(target, 1) || has_codes(target, 2)) && !target->blend.is_dual && !target->surface.samples_log2;
}

/* A block of 256 bytes in TILE6_3 has 16 by 4 pixels of four bytes or 8 by 4 of eight: 8 by 4 are a run, in which quads
 * stand two by two. Else they are rows. */
static const uint8_t quad_order[QUADS / 2] = {0, 1, 4, 5, 2, 3, 6, 7};

bool adreno_rb_open_block(struct adreno_rb *rb, unsigned t, uint32_t x, uint32_t y, uint32_t layer,
                          struct adreno_rb_block *block)
{
    struct adreno_rb_access *access = &rb->access[t];
    block->is_tiled = access->surface->is_tiled;
    block->is_wide = access->surface->element_B == 8;
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

static inline void store4(void *to, word4 value)
{
    memcpy(to, &value, sizeof(value));
}

/* ---- words of two dwords: where the two upper pixels of a quad stand, and the two lower ones ---- */

struct wide {
    uint8_t *upper, *lower;
};

static inline struct wide wide_quad(const struct adreno_rb_block *block, unsigned q)
{
    if (block->is_tiled) {
        uint8_t *at = block->at[q / 8] + 32 * quad_order[q % 8];
        return (struct wide){at, at + 16};
    }
    const unsigned row = q / 4 * 2, at_B = q % 4 * 16;
    return (struct wide){block->at[row] + at_B, block->at[row + 1] + at_B};
}

static void load_wide(const struct adreno_rb_block *block, uint32_t (*codes)[ADRENO_RB_CODE_LANES])
{
    for (unsigned q = 0; q < QUADS; q++) {
        const struct wide at = wide_quad(block, q);
        const word4 upper = load4(at.upper), lower = load4(at.lower);
        store4(codes[0] + 4 * q, __builtin_shufflevector(upper, lower, 0, 2, 4, 6));
        store4(codes[1] + 4 * q, __builtin_shufflevector(upper, lower, 1, 3, 5, 7));
    }
}

static void store_wide(const struct adreno_rb_block *block, uint32_t (*codes)[ADRENO_RB_CODE_LANES])
{
    for (unsigned q = 0; q < QUADS; q++) {
        const struct wide at = wide_quad(block, q);
        const word4 low = load4(codes[0] + 4 * q), high = load4(codes[1] + 4 * q);
        store4(at.upper, __builtin_shufflevector(low, high, 0, 4, 1, 5));
        store4(at.lower, __builtin_shufflevector(low, high, 2, 6, 3, 7));
    }
}

/* ---- words of one ---- */

static void load_words(const struct adreno_rb_block *block, uint32_t *codes)
{
    if (block->is_tiled) {
        for (unsigned q = 0; q < QUADS; q++)
            memcpy(codes + 4 * q, block->at[q / 8] + 16 * quad_order[q % 8], 16);
        return;
    }
    for (unsigned q = 0; q < QUADS; q += 2) { /* two quads are four pixels of two rows */
        const unsigned row = q / 4 * 2, at_B = q % 4 * 8;
        const word4 upper = load4(block->at[row] + at_B), lower = load4(block->at[row + 1] + at_B);
        store4(codes + 4 * q, __builtin_shufflevector(upper, lower, 0, 1, 4, 5));
        store4(codes + 4 * q + 4, __builtin_shufflevector(upper, lower, 2, 3, 6, 7));
    }
}

static void store_words(const struct adreno_rb_block *block, const uint32_t *codes)
{
    if (block->is_tiled) {
        for (unsigned q = 0; q < QUADS; q++)
            memcpy(block->at[q / 8] + 16 * quad_order[q % 8], codes + 4 * q, 16);
        return;
    }
    for (unsigned q = 0; q < QUADS; q += 2) {
        const unsigned row = q / 4 * 2, at_B = q % 4 * 8;
        const word4 left = load4(codes + 4 * q), right = load4(codes + 4 * q + 4);
        store4(block->at[row] + at_B, __builtin_shufflevector(left, right, 0, 1, 4, 5));
        store4(block->at[row + 1] + at_B, __builtin_shufflevector(left, right, 2, 3, 6, 7));
    }
}

/* ---- both ---- */

void adreno_rb_load_block(const struct adreno_rb_block *block, uint32_t (*codes)[ADRENO_RB_CODE_LANES])
{
    if (block->is_wide)
        load_wide(block, codes);
    else
        load_words(block, codes[0]);
}

void adreno_rb_store_block(const struct adreno_rb_block *block, uint32_t (*codes)[ADRENO_RB_CODE_LANES], uint64_t drawn)
{
    uint32_t stored[ADRENO_RB_CODE_DW][ADRENO_RB_CODE_LANES], masks[ADRENO_RB_CODE_LANES];
    if (drawn != UINT64_MAX) {
        adreno_rb_load_block(block, stored);
        lanes_from_mask(masks, drawn, ADRENO_RB_CODE_LANES);
        for (unsigned n = 0; n < (block->is_wide ? 2u : 1u); n++) {
            for (unsigned i = 0; i < ADRENO_RB_CODE_LANES; i++)
                stored[n][i] = (codes[n][i] & masks[i]) | (stored[n][i] & ~masks[i]);
        }
        codes = stored;
    }
    if (block->is_wide)
        store_wide(block, codes);
    else
        store_words(block, codes[0]);
}
