/* Images in memory: where levels, layers, slices and samples are. Levels follow each other, from the largest on; layers
 * repeat all levels; slices of a volume and samples are inside their level. tile.h says where an element is in one of
 * these; with AFBC it is a header's (afbc.h).
 *
 * Strides are what drivers choose, within the hardware's alignments: a descriptor names each of them. */
#ifndef MALI_HW_TILING_SURFACE_H
#define MALI_HW_TILING_SURFACE_H

#include <stdbool.h>
#include <stdint.h>

#define MALI_MAX_LEVELS 17
#define MALI_SURFACE_ALIGN_B 64u

enum mali_layout {
    MALI_LAYOUT_LINEAR,
    MALI_LAYOUT_TILED, /* 16 × 16, U-interleaved */
    MALI_LAYOUT_AFBC,
};

struct mali_surface_info {
    uint32_t width, height, depth; /* texels; depth of a volume */
    uint32_t levels, layers, samples;
    bool is_volume;
    uint32_t block_B, block_w, block_h; /* of a compressed format; else a texel and 1 × 1 */
    enum mali_layout layout;
    /* of AFBC */
    uint32_t superblock_w; /* 16, 32 or 64: superblocks have 256 texels */
    bool has_tiled_headers;
};

struct mali_surface_level {
    uint64_t offset_B;
    uint32_t row_B;   /* of elements, of tiles, or of headers */
    uint64_t slice_B; /* from a slice or sample to the next; of AFBC, of bodies in a volume */
    uint64_t size_B;  /* of all slices and samples, without headers that stand before them */
    /* of AFBC */
    uint64_t header_B;       /* all headers of the level: a body begins after them */
    uint64_t header_slice_B; /* from a slice's headers to the next one's */
};

struct mali_surface {
    struct mali_surface_level levels[MALI_MAX_LEVELS];
    uint64_t layer_B;
    uint64_t size_B;
};

/* False: an image that cannot be. */
bool mali_surface_init(struct mali_surface *out, const struct mali_surface_info *info);

#endif
