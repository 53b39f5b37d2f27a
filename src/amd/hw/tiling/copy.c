/* Copies between linear rows and tiled surfaces on the host, and the lookup tables of the model. */
#include "amd/hw/tiling/tiling.h"
#include <string.h>

/* A mask that covers every coordinate bit the equation looks at. */
static uint32_t period_mask(uint32_t used)
{
    return used ? (uint32_t)bits_mask(log2_floor(used) + 1) : 0;
}

void amd_tiling_table_init(struct amd_tiling_table *table, const struct amd_surface *surface)
{
    struct amd_coord_bits used = {0};
    for (unsigned i = 0; i < surface->equation.bit_count; i++) {
        used.x |= surface->equation.bit[i].x;
        used.y |= surface->equation.bit[i].y;
        used.z |= surface->equation.bit[i].z;
    }
    table->layer_B = surface->layer_B;
    table->col_B = surface->col_B;
    table->x_mask = period_mask(used.x) & (AMD_TILING_TABLE_XY - 1);
    table->y_mask = period_mask(used.y) & (AMD_TILING_TABLE_XY - 1);
    table->z_mask = period_mask(used.z) & (AMD_TILING_TABLE_Z - 1);
    table->block_w_log2 = surface->block_w_log2;
    table->block_h_log2 = surface->block_h_log2;
    table->block_d_log2 = surface->block_d_log2;
    for (unsigned i = 0; i < AMD_SURFACE_MAX_LEVELS; i++) {
        table->level[i].offset_B = surface->level[i].offset_B;
        table->level[i].row_B = surface->level[i].row_B;
        table->level[i].tail_x = surface->level[i].tail_x;
        table->level[i].tail_y = surface->level[i].tail_y;
    }
    for (unsigned i = 0; i < 8; i++)
        table->s[i] = surface->lut.s[i] ^ surface->xor_B;
    for (uint32_t i = 0; i <= table->x_mask; i++)
        table->x[i] = amd_equation_lut_axis(surface->lut.x, i);
    for (uint32_t i = 0; i <= table->y_mask; i++)
        table->y[i] = amd_equation_lut_axis(surface->lut.y, i);
    for (uint32_t i = 0; i <= table->z_mask; i++)
        table->z[i] = amd_equation_lut_axis(surface->lut.z, i);
}

/* log2 of the elements that are neighbours in x and in memory: address bits that are x0, x1, ... alone. */
static unsigned run_log2(const struct amd_surface *surface)
{
    unsigned run = 0;
    for (unsigned i = surface->element_log2; i < surface->equation.bit_count; i++, run++) {
        struct amd_coord_bits bits = surface->equation.bit[i];
        if (bits.x != 1u << run || bits.y || bits.z || bits.s)
            break;
    }
    for (unsigned i = surface->element_log2 + run; i < surface->equation.bit_count; i++) {
        if (surface->equation.bit[i].x & (bits_mask(run)))
            return 0;
    }
    return run;
}

/* The sizes that occur become single moves. */
static inline void copy_run(uint8_t *to, const uint8_t *from, size_t size_B)
{
    switch (size_B) {
    case 1:
        *to = *from;
        break;
    case 2:
        memcpy(to, from, 2);
        break;
    case 4:
        memcpy(to, from, 4);
        break;
    case 8:
        memcpy(to, from, 8);
        break;
    case 16:
        memcpy(to, from, 16);
        break;
    default:
        memcpy(to, from, size_B);
    }
}

static inline __attribute__((always_inline)) void copy_row(const struct amd_surface *surface,
                                                           const struct amd_tiling_rect *rect, uint32_t y,
                                                           uint8_t *tiled, uint8_t *linear, unsigned run, bool to_tiled)
{
    uint32_t element_B = surface->desc.element_B;
    uint32_t end = rect->x + rect->width;
    for (uint32_t x = rect->x; x < end;) {
        uint32_t count = MIN2((1u << run) - (x & (uint32_t)bits_mask(run)), end - x);
        uint8_t *texel = tiled + amd_tiling_offset(surface, x, y, rect->z, rect->sample, rect->level);
        if (to_tiled)
            copy_run(texel, linear, (size_t)count * element_B);
        else
            copy_run(linear, texel, (size_t)count * element_B);
        linear += (size_t)count * element_B;
        x += count;
    }
}

static inline __attribute__((always_inline)) void copy_rect(const struct amd_surface *surface,
                                                            const struct amd_tiling_rect *rect, uint8_t *tiled,
                                                            uint8_t *linear, size_t row_B, bool to_tiled)
{
    bool is_linear = surface->equation.bit_count == 0;
    unsigned run = is_linear ? 31 : run_log2(surface);
    for (uint32_t y = rect->y; y < rect->y + rect->height; y++, linear += row_B)
        copy_row(surface, rect, y, tiled, linear, run, to_tiled);
}

void amd_tiling_tile(const struct amd_surface *surface, const struct amd_tiling_rect *rect, void *tiled,
                     const void *linear, size_t row_B)
{
    copy_rect(surface, rect, tiled, (uint8_t *)(uintptr_t)linear, row_B, true);
}

void amd_tiling_detile(const struct amd_surface *surface, const struct amd_tiling_rect *rect, void *linear,
                       size_t row_B, const void *tiled)
{
    copy_rect(surface, rect, (uint8_t *)(uintptr_t)tiled, linear, row_B, false);
}
