/* See cb_surface.h. */
#include "amd/model/cb_surface.h"

#include <string.h>

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

/* An equation is linear over GF(2), so that the lowest bit of a coordinate changes the same address bits everywhere. */
static void set_quads(struct cb_surface *surface)
{
    uint32_t dx = surface->layout.lut.x[0][1], dy = surface->layout.lut.y[0][1];
    surface->has_quads = surface->layout.equation.bit_count && dx < 256 && dy < 256;
    uint32_t high = 0;
    for (unsigned i = 0; i < 8; i++) {
        surface->block_x[i] = (uint8_t)surface->layout.lut.x[0][i];
        surface->block_y[i] = (uint8_t)surface->layout.lut.y[0][i];
        high |= (surface->layout.lut.x[0][i] | surface->layout.lut.y[0][i]) >> 8;
    }
    surface->has_blocks =
        surface->has_quads && !high && surface->desc.levels == 1; /* levels of a tail start within blocks */
    surface->quad_xor[0] = 0;
    surface->quad_xor[1] = dx;
    surface->quad_xor[2] = dy;
    surface->quad_xor[3] = dx ^ dy;
}

const char *cb_surface_set(struct cb_surface *surface, uint32_t gb_addr_config, struct amd_surface_desc desc,
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
        set_quads(surface);
        surface->valid = true;
    }
    surface->va = base_va - ((uint64_t)desc.pipe_bank_xor << 8);
    surface->level = level;
    surface->width = desc.width >> level ? desc.width >> level : 1;
    surface->height = desc.height >> level ? desc.height >> level : 1;
    return NULL;
}
