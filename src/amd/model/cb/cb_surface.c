/* See cb_surface.h. */
#include "amd/model/cb/cb_surface.h"

#include <string.h>

#include "model/memory.h"
#include "util/bits.h"

#define MOST_WIDE_B (64u << 10) /* what block_x and block_y can say */

static bool has_xor(enum amd_swizzle swizzle)
{
    const struct amd_swizzle_info *info = amd_swizzle_info(swizzle);
    return info && info->xor_kind != AMD_SWIZZLE_XOR_NONE;
}

static bool is_same(const struct amd_surface_desc *a, const struct amd_surface_desc *b)
{
    return a->swizzle == b->swizzle && a->dim == b->dim && a->width == b->width && a->height == b->height &&
           a->slices == b->slices && a->element_B == b->element_B && a->samples == b->samples &&
           a->levels == b->levels && a->pipe_bank_xor == b->pipe_bank_xor;
}

/* The pieces of 256 bytes that a block's elements are in: what compression metadata speaks of. */
static void set_units(struct cb_surface *surface)
{
    uint32_t seen = 0;
    surface->unit_count = 0;
    for (uint8_t y = 0; y < 1u << surface->block_log2; y++) {
        for (uint8_t x = 0; x < 1u << surface->block_log2; x++) {
            uint32_t bit = 1u << (cb_block_bits(surface, x, y) >> 8);
            if (seen & bit)
                continue;
            seen |= bit;
            surface->unit[surface->unit_count].x = x;
            surface->unit[surface->unit_count++].y = y;
        }
    }
}

/* An equation is linear: the pieces of 256 bytes that 8 by 8 pixels touch are two to the power of how many of the six
 * coordinate bits lead to different ones. */
static bool fills_units(const struct cb_surface *surface)
{
    const struct amd_tiling_table *table = &surface->table;
    uint32_t basis[6];
    unsigned rank = 0;
    for (unsigned i = 0; i < 6; i++) {
        const uint32_t coordinate = 1u << i % 3;
        uint32_t unit = (i < 3 ? table->x[coordinate & table->x_mask] : table->y[coordinate & table->y_mask]) >> 8;
        for (unsigned k = 0; k < rank; k++)
            unit = MIN2(unit, unit ^ basis[k]);
        if (unit)
            basis[rank++] = unit;
    }
    return 256u << rank == 64u * surface->desc.element_B;
}

/* The address bits that change within blocks of this size. */
static uint32_t bits_of_blocks(const struct cb_surface *surface, unsigned log2)
{
    const struct amd_tiling_table *table = &surface->table;
    uint32_t bits = 255; /* a base is aligned to no less */
    for (unsigned i = 0; i < log2; i++)
        bits |= table->x[1u << i & table->x_mask] | table->y[1u << i & table->y_mask];
    return bits;
}

/* An equation is linear over GF(2), so that the lowest bits of a coordinate change the same address bits everywhere. */
static void set_blocks(struct cb_surface *surface)
{
    const struct amd_tiling_table *table = &surface->table;
    surface->blocks_fit = surface->tiles_fit = false;
    surface->block_level = surface->level;
    if (!surface->layout.equation.bit_count || table->block_w_log2 < 3 || table->block_h_log2 < 3 ||
        table->level[surface->level].tail_x % 8 || table->level[surface->level].tail_y % 8)
        return;
    surface->block_log2 = 3;
    while (surface->block_log2 > 1 && bits_of_blocks(surface, surface->block_log2) >= GPU_PAGE_SIZE_B)
        surface->block_log2--;
    uint32_t bits = bits_of_blocks(surface, surface->block_log2);
    if (bits >= GPU_PAGE_SIZE_B)
        return;
    for (unsigned i = 0; i < 8; i++) {
        surface->block_x[i] = (uint16_t)table->x[i & table->x_mask];
        surface->block_y[i] = (uint16_t)table->y[i & table->y_mask];
    }
    while (bits & (bits + 1))
        bits |= bits >> 1;
    surface->block_B = (uint16_t)(bits + 1);
    surface->blocks_fit = surface->quad_is_row = true;
    for (unsigned p = 0; p < 4; p++) {
        surface->quad_xor[p] = surface->block_x[p & 1] ^ surface->block_y[p >> 1];
        surface->quad_is_row &= surface->quad_xor[p] == p * surface->desc.element_B;
    }
    surface->block_is_row =
        surface->block_log2 == 3 && (surface->block_x[7] | surface->block_y[7]) == 63 * surface->desc.element_B;
    surface->fours_are_rows = surface->block_log2 == 3;
    for (unsigned i = 0; i < 4; i++)
        surface->fours_are_rows &= surface->block_x[i] == i * surface->desc.element_B;
    for (unsigned i = 0; i < 16; i++)
        surface->four_at[i] = surface->block_x[i % 2 * 4] ^ surface->block_y[i / 2];
    surface->samples_are_row = surface->desc.samples * surface->desc.element_B <= surface->block_B;
    for (unsigned i = 0; i < surface->desc.samples; i++)
        surface->samples_are_row &= (table->s[i] ^ table->s[0]) == i * surface->desc.element_B;
    set_units(surface);
    surface->fills_units = fills_units(surface);
    surface->tiles_fit = table->block_w_log2 >= 6 && table->block_h_log2 >= 6 && !table->level[surface->level].tail_x &&
                         !table->level[surface->level].tail_y;
    for (unsigned i = 0; i < ARRAY_SIZE(surface->tile_x); i++) {
        surface->tile_x[i] = table->x[i * 4 & table->x_mask];
        surface->tile_y[i] = table->y[i * 4 & table->y_mask];
    }
    for (unsigned i = 0; i < ARRAY_SIZE(surface->quad_x); i++) {
        surface->quad_x[i] = table->x[i * 2 & table->x_mask];
        surface->quad_y[i] = table->y[i * 2 & table->y_mask];
    }
}

const char *amd_cb_surface_set(struct cb_surface *surface, uint32_t gb_addr_config, struct amd_surface_desc desc,
                               uint64_t base_va, unsigned level)
{
    struct amd_tiling_config config;
    if (!amd_tiling_config_init(&config, gb_addr_config))
        return "a memory topology that the tiling tables do not know (GB_ADDR_CONFIG)";
    if (level >= desc.levels)
        return "a level that the image does not have";

    /* The layout's alignment, which does not depend on the pipe and bank bits, says which bits of the base they are. */
    desc.pipe_bank_xor = 0;
    if (has_xor(desc.swizzle)) {
        struct amd_surface plain;
        if (surface->valid) {
            struct amd_surface_desc bare = surface->desc;
            bare.pipe_bank_xor = 0;
            if (is_same(&bare, &desc))
                desc.pipe_bank_xor = (uint32_t)((base_va & (surface->layout.align_B - 1)) >> 8);
            else
                surface->valid = false;
        }
        if (!surface->valid) {
            const char *problem = amd_surface_problem(&desc);
            if (problem || !amd_surface_init(&plain, &config, &desc))
                return problem ? problem : "a layout that the hardware does not have";
            desc.pipe_bank_xor = (uint32_t)((base_va & (plain.align_B - 1)) >> 8);
        }
    }
    if (!surface->valid || !is_same(&surface->desc, &desc)) {
        const char *problem = amd_surface_problem(&desc);
        surface->valid = false;
        if (problem || !amd_surface_init(&surface->layout, &config, &desc))
            return problem ? problem : "a layout that the hardware does not have";
        amd_tiling_table_init(&surface->table, &surface->layout);
        surface->desc = desc;
        surface->generation++;
        surface->block_level = UINT32_MAX;
        surface->valid = true;
    }
    surface->va = base_va - ((uint64_t)desc.pipe_bank_xor << 8);
    surface->level = level;
    surface->width = desc.width >> level ? desc.width >> level : 1;
    surface->height = desc.height >> level ? desc.height >> level : 1;
    if (surface->block_level != level)
        set_blocks(surface);
    surface->has_blocks = surface->blocks_fit && !(surface->va & (surface->block_B - 1u));
    const uint64_t swizzle_block_B = 1ull << surface->layout.equation.bit_count;
    surface->has_tiles = surface->has_blocks && surface->tiles_fit &&
                         !((surface->va + surface->table.level[level].offset_B) & (swizzle_block_B - 1));
    surface->has_wide =
        surface->has_tiles && surface->block_log2 < 3 && swizzle_block_B <= MOST_WIDE_B && desc.samples == 1;
    return NULL;
}
