/* The words of four bytes that the fast path of samples asks for: all lanes at once where they are in one slice of a
 * level. */
#include "amd/model/texture/ta.h"

#include <string.h>

#include "util/bits.h"

/* Where the texels of lanes are that are all in one slice of a level: an offset in the tiling's tables for each axis,
 * and the block of the tiling. What needs no table is done in vectors. An element is no farther than 1 GiB away. */
struct places {
    uint32_t x[LANES_MAX], y[LANES_MAX]; /* indices of the first texel [15:0] and of the second */
    uint32_t block[4][LANES_MAX];        /* by tap */
    uint32_t low, high;                  /* blocks lie between these */
};
_Static_assert(AMD_TILING_TABLE_XY <= 1 << 16, "an index has 16 bits");

static void find_places(struct places *restrict out, const struct tc_image *image, const struct tex_pairs *restrict x,
                        const struct tex_pairs *restrict y, unsigned level, unsigned lanes)
{
    const struct amd_tiling_table *p = image->pattern;
    const struct amd_surface_level *at = &image->surface.level[level];
    const uint32_t x_mask = p->x_mask, y_mask = p->y_mask, w_log2 = p->block_w_log2, h_log2 = p->block_h_log2,
                   col_B = p->col_B, row_B = (uint32_t)at->row_B, tail_x = at->tail_x, tail_y = at->tail_y;
    uint32_t left = UINT32_MAX, right = 0, top = UINT32_MAX, bottom = 0;
    LANES_INDEPENDENT
    for (unsigned i = 0; i < lanes; i++) {
        uint32_t x0 = (uint32_t)x->first[i], x1 = (uint32_t)x->second[i], y0 = (uint32_t)y->first[i],
                 y1 = (uint32_t)y->second[i];
        out->x[i] = ((x0 + tail_x) & x_mask) | ((x1 + tail_x) & x_mask) << 16;
        out->y[i] = ((y0 + tail_y) & y_mask) | ((y1 + tail_y) & y_mask) << 16;
        uint32_t bx0 = x0 >> w_log2, bx1 = x1 >> w_log2, by0 = y0 >> h_log2, by1 = y1 >> h_log2;
        left = MIN2(left, MIN2(bx0, bx1));
        right = MAX2(right, MAX2(bx0, bx1));
        top = MIN2(top, MIN2(by0, by1));
        bottom = MAX2(bottom, MAX2(by0, by1));
        out->block[0][i] = bx0 * col_B + by0 * row_B;
        out->block[1][i] = bx1 * col_B + by0 * row_B;
        out->block[2][i] = bx0 * col_B + by1 * row_B;
        out->block[3][i] = bx1 * col_B + by1 * row_B;
    }
    out->low = left * col_B + top * row_B;
    out->high = right * col_B + bottom * row_B;
}

/* Active lanes that are all in one slice of one level. False: the GPU may not read everything between the first block
 * and the last; nothing has been done. */
bool amd_td_load_plane(struct tex_query *q, struct tex_words *restrict to, const struct tex_pairs *x,
                       const struct tex_pairs *y, uint32_t slice, unsigned level, unsigned taps)
{
    const struct ta_request *r = (const struct ta_request *)q;
    const struct tc_image *image = r->image;
    const struct amd_tiling_table *p = image->pattern;
    const uint32_t common = p->z[slice & p->z_mask] ^ p->s[0] ^ image->surface.xor_B;
    const uint32_t block_B = image->surface.equation.bit_count ? 1u << image->surface.block_log2 : 4;
    struct places at;
    find_places(&at, image, x, y, level, q->lanes);
    uint64_t first_va =
        image->base_va + image->surface.level[level].offset_B + (slice >> p->block_d_log2) * image->surface.layer_B;
    const uint8_t *host = amd_td_span(r, first_va + at.low, (uint64_t)at.high - at.low + block_B, GPU_PERM_READ);
    if (!host)
        return false;
    host -= at.low;
    for (unsigned i = 0, lanes = q->lanes; i < lanes; i++) {
        uint32_t in_x0 = p->x[at.x[i] & 0xffff], in_y0 = p->y[at.y[i] & 0xffff] ^ common;
        memcpy(&to->at[0][i], host + at.block[0][i] + (in_x0 ^ in_y0), 4);
        if (taps == 1)
            continue;
        uint32_t in_x1 = p->x[at.x[i] >> 16], in_y1 = p->y[at.y[i] >> 16] ^ common;
        memcpy(&to->at[1][i], host + at.block[1][i] + (in_x1 ^ in_y0), 4);
        memcpy(&to->at[2][i], host + at.block[2][i] + (in_x0 ^ in_y1), 4);
        memcpy(&to->at[3][i], host + at.block[3][i] + (in_x1 ^ in_y1), 4);
    }
    return true;
}

bool amd_td_load_word(struct tex_query *q, uint32_t *to, uint32_t x, uint32_t y, uint32_t slice, unsigned level)
{
    struct ta_request *r = (struct ta_request *)q;
    uint8_t *at;
    uint64_t va = r->image->base_va + tc_element_offset(r->image, x, y, slice, 0, level);
    if (!sq_resolve(r->wave, r->uop, va, 4, GPU_PERM_READ, &at))
        return false;
    *to = 0;
    if (at)
        memcpy(to, at, 4);
    return true;
}
