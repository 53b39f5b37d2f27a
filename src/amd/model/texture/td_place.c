/* Where elements are, as the parts of an offset that the tables of model/texture have for each axis: tc_element_offset
 * taken apart. Blocks of a swizzle mode lie beside each other; what the mode mixes is within a block. */
#include "amd/model/texture/ta.h"

bool amd_td_layout(struct tex_query *q, uint64_t *base_va_out)
{
    const struct tc_image *image = ((const struct ta_request *)q)->image;
    *base_va_out = image->base_va;
    return image->surface.size_B < 1ull << 31;
}

struct tex_place amd_td_place(struct tex_query *q, unsigned level, unsigned axis, uint32_t at)
{
    const struct tc_image *image = ((const struct ta_request *)q)->image;
    const struct amd_tiling_table *p = image->pattern;
    const struct amd_surface_level *in = &image->surface.level[level];
    switch (axis) {
    case 0:
        return (struct tex_place){(at >> p->block_w_log2) * p->col_B + p->x[(at + in->tail_x) & p->x_mask], 0};
    case 1:
        return (struct tex_place){p->y[(at + in->tail_y) & p->y_mask], (uint32_t)((at >> p->block_h_log2) * in->row_B)};
    default:
        return (struct tex_place){p->z[at & p->z_mask] ^ p->s[0] ^ image->surface.xor_B,
                                  (uint32_t)(in->offset_B + (at >> p->block_d_log2) * image->surface.layer_B)};
    }
}
