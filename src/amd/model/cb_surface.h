/* Where the elements of a render target or a depth buffer are: a layout with its tables, kept from draw to draw because
 * neighbours use the same. */
#ifndef AMD_MODEL_CB_SURFACE_H
#define AMD_MODEL_CB_SURFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "amd/hw/tiling/tiling.h"

struct cb_surface {
    bool valid; /* the layout below is that of `desc` */
    struct amd_surface_desc desc;
    struct amd_surface layout;
    struct amd_tiling_table table;
    uint64_t va;            /* without the pipe and bank bits that the register holds */
    uint32_t width, height; /* of the level that is drawn to */
    unsigned level;
    bool has_blocks;                /* 8 by 8 aligned pixels lie in one piece of 256 bytes: */
    uint8_t block_x[8], block_y[8]; /* the lowest address bits that a coordinate's lowest bits contribute */
    bool has_quads;                 /* an aligned quad lies in one piece of 256 bytes, */
    uint32_t quad_xor[4];           /* and this changes its first pixel's address into the others' */
    uint64_t generation;            /* of the layout: another number, another layout */
};

/* `base_va` is as the register has it: its low bits may hold pipe and bank bits, which replace those of `desc`. NULL,
 * or what is wrong. */
const char *cb_surface_set(struct cb_surface *surface, uint32_t gb_addr_config, struct amd_surface_desc desc,
                           uint64_t base_va, unsigned level);

/* A 40-bit base register and its extension: 256-byte units, 48 bits, sign-extended. */
static inline uint64_t cb_surface_va(uint32_t base, uint32_t extension)
{
    uint64_t va = ((uint64_t)base | (uint64_t)(extension & 0xff) << 32) << 8;
    return (uint64_t)((int64_t)(va << 16) >> 16);
}

static inline uint64_t cb_surface_at(const struct cb_surface *surface, uint32_t x, uint32_t y, uint32_t slice,
                                     uint32_t sample)
{
    return surface->va + amd_tiling_table_offset(&surface->table, x, y, slice, sample, surface->level);
}

#endif
