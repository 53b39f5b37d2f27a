/* Decoded image and sampler descriptors, and the cache that keeps them: one for each worker and address space, keyed by
 * the descriptor's own words, so that nothing ever has to be invalidated and nothing is locked. Not for: bytes of
 * texels, which are read from memory each time. */
#ifndef AMD_MODEL_TC_IMAGE_H
#define AMD_MODEL_TC_IMAGE_H

#include "amd/hw/descriptors.h"
#include "amd/hw/tiling/meta.h"
#include "amd/model/texture/tc_format.h"
#include "model/texture/tex_block.h"
#include "model/texture/tex_places.h"
#include "model/texture/texture.h"

#define TC_MAX_LEVELS AMD_SURFACE_MAX_LEVELS
_Static_assert(TC_MAX_LEVELS <= TEX_MAX_LEVELS, "levels of the shared room");

enum tc_meta_kind {
    TC_META_NONE,
    TC_META_DCC,
    TC_META_HTILE,
    TC_META_CMASK,
};

/* The elements of a square of 8 by 8 whose corner is a multiple of eight: the address of each is that of the corner,
 * changed by exclusive or. */
#define TC_TILE 8u
struct tc_tile {
    bool exists;           /* squares do not cross blocks */
    uint8_t run;           /* so many elements from a multiple of it are neighbours in memory: 1, 2, 4 or 8 */
    uint8_t pieces;        /* of 256 bytes; 0: more than there are places for */
    uint8_t piece_lane[4]; /* an element of each */
    uint32_t mask;         /* bits of all offsets */
    uint32_t offset[TC_TILE * TC_TILE];
};

struct tc_image {
    uint32_t words[8];
    const char *problem; /* why it cannot be accessed; NULL if it can */
    bool is_null;        /* no image at all: reads give zero, writes are dropped */
    uint8_t type;        /* enum amd_IMG_TYPE */
    bool is_array;       /* layers are coordinates; so they are in a cube */
    bool is_3d;
    struct tex_image tex; /* layers of a volume: the slices that can be reached in level 0, or in the base level if
                             slices_of_base */
    struct tc_format format;
    uint8_t dst_sel[4];
    uint8_t bc_order[4]; /* X, Y, Z and W of a border texel are these components of the border colour */
    uint8_t samples;
    bool slices_of_base;
    uint64_t base_va;

    struct amd_surface surface;
    const struct amd_tiling_table
        *pattern;                /* x, y, z and s of the equation; levels and pipe/bank bits are the surface's */
    const struct tc_tile *tile;  /* lanes in rows */
    const struct tc_tile *quads; /* the same in the order of pixel shaders: quad by quad, and rows of quads */

    struct tex_places_set *places; /* tables for samples */

    uint8_t meta_kind; /* enum tc_meta_kind */
    bool alpha_is_on_msb;
    uint64_t meta_va;
    struct amd_meta meta;
};

struct tc_sampler {
    uint32_t words[4];
    const char *problem;
    struct tex_sampler tex;
    uint8_t border_type; /* enum amd_BORDER_COLOR */
    uint16_t border;     /* which of the registers' colours */
};

struct tc_cache;

/* Valid until the next call for another descriptor. NULL: out of memory. */
const struct tc_image *amd_tc_image_get(struct tc_cache *cache, const uint32_t words[8]);
const struct tc_sampler *amd_tc_sampler_get(struct tc_cache *cache, const uint32_t words[4]);

/* An image instruction's memory for the next time (ta_again.c), one piece: one of a few places for it, by any
 * number. */
void **amd_tc_cache_again(struct tc_cache *cache, unsigned number);

static inline bool tc_are_same(const uint32_t *a, const uint32_t *b, unsigned count) /* few */
{
    uint32_t other = 0;
    for (unsigned i = 0; i < count; i++)
        other |= a[i] ^ b[i];
    return !other;
}

/* The texels of one block of a compressed format, and where the shared room keeps them. */
struct tex_blocks *amd_tc_cache_blocks(struct tc_cache *cache);
tex_texels amd_tc_block_get(struct tc_cache *cache, enum format format, const void *block, unsigned block_B);

/* Byte offset of an element from base_va. Coordinates are inside the level. */
static inline uint64_t tc_element_offset(const struct tc_image *image, uint32_t x, uint32_t y, uint32_t z,
                                         uint32_t sample, unsigned level)
{
    const struct amd_tiling_table *p = image->pattern;
    const struct amd_surface_level *at = &image->surface.level[level];
    uint64_t block_B = at->offset_B + (z >> p->block_d_log2) * image->surface.layer_B +
                       (y >> p->block_h_log2) * at->row_B + (uint64_t)(x >> p->block_w_log2) * p->col_B;
    uint32_t inside_B = p->x[(x + at->tail_x) & p->x_mask] ^ p->y[(y + at->tail_y) & p->y_mask] ^ p->z[z & p->z_mask] ^
                        p->s[sample & 7];
    return block_B + (inside_B ^ image->surface.xor_B);
}

#endif
