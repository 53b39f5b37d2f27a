/* How a rendering is cut into tiles that fit GMEM: a pure function of the attachments, the area and the chip.
 *
 * Tiles are counted from the screen's first pixel, because the visibility streams count them so; those that the render
 * area does not touch are left out when tiles are drawn. Groups of up to 32 tiles share one of the 32 streams
 * (pipes). */
#ifndef ADRENO_DRIVER_TILES_H
#define ADRENO_DRIVER_TILES_H

#include "adreno/hw/chip.h"

#define ADRENO_MAX_GMEM_PARTS 14 /* twelve colours, depth, stencil */
#define ADRENO_GMEM_ALIGN_B 4096u
#define ADRENO_TILES_PER_PIPE 32u /* bits of VSC_CHANNEL_VISIBILITY# */

struct adreno_tiles_info {
    uint32_t right, bottom; /* where the render area ends */
    uint32_t layers;        /* or views, that are in GMEM at a time */
    unsigned parts;
    uint8_t part_B[ADRENO_MAX_GMEM_PARTS]; /* bytes of a pixel with all its samples; 0: not in GMEM */
};

struct adreno_tiles {
    bool is_possible; /* false: a tile of the smallest size does not fit */
    bool can_bin;     /* the streams reach for all tiles */
    uint32_t width, height;
    uint32_t columns, rows;
    uint32_t pipe_width, pipe_height; /* tiles of a pipe; those at the end may have fewer */
    uint32_t pipe_columns, pipe_rows;
    uint32_t gmem_B[ADRENO_MAX_GMEM_PARTS]; /* offsets */
};

/* The rest of GMEM beside the caches of the CCU, and where these are. */
struct adreno_gmem_caches {
    uint32_t color_B;        /* offset, while tiles are drawn: all before it is for attachments */
    uint32_t sysmem_color_B; /* offsets, while memory is drawn to */
    uint32_t sysmem_depth_B;
};
struct adreno_gmem_caches adreno_gmem_caches(const struct adreno_chip *chip);

struct adreno_tiles adreno_tiles(const struct adreno_chip *chip, const struct adreno_tiles_info *info);

/* The pipe of a tile, how many tiles it has, and the tile's number in it. */
struct adreno_tile_place {
    uint32_t pipe, size, slot;
};
struct adreno_tile_place adreno_tile_place(const struct adreno_tiles *tiles, uint32_t column, uint32_t row);

/* The tiles of a pipe: first column and row, columns and rows; none for pipes that are not used. */
struct adreno_pipe {
    uint32_t column, row, columns, rows;
};
struct adreno_pipe adreno_pipe(const struct adreno_tiles *tiles, uint32_t pipe);

#endif
